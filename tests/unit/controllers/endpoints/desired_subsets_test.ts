import { assertEquals } from "@std/assert";
import { FakeClock, TurnBudget } from "../../../../src/base/mod.ts";
import type { EndpointSubset, Pod, Service } from "../../../../src/api/mod.ts";
import { desiredSubsets } from "../../../../src/controllers/endpoints/desired_subsets.ts";
import { address, HTTP, pod, service } from "./fixtures.ts";

function desired(of: Service, ...pods: Pod[]): Promise<EndpointSubset[]> {
  return new TurnBudget(new FakeClock()).run(desiredSubsets(of, pods));
}

const ready = (...addresses: ReturnType<typeof address>[]) => [{ addresses, ports: [HTTP] }];
const notReady = (...notReadyAddresses: ReturnType<typeof address>[]) => [{ notReadyAddresses, ports: [HTTP] }];
const ALL = { publishNotReadyAddresses: true };
const HEADLESS = { clusterIP: "None", ports: undefined };
const web = (containerPort: number, protocol = "TCP") => ({
  containers: [{ name: "c", ports: [{ name: "web", containerPort, protocol }] }],
});
const WEB = { ports: [{ name: "http", port: 1, protocol: "TCP", targetPort: "web" }] };

const CASES: readonly (readonly [title: string, Service, Pod[], EndpointSubset[]])[] = [
  ["no pods", service(), [], []],
  ["a ready pod", service(), [pod("p")], ready(address("p"))],
  ["a pod that is not ready", service(), [pod("p", { ready: false })], notReady(address("p"))],
  ["a pod that is not ready, which does not matter", service(ALL), [pod("p", { ready: false })], ready(address("p"))],
  ["pods in order of their addresses", service(), [
    pod("a", { ips: ["10.1.0.9"] }),
    pod("b", { ips: ["10.1.0.10"] }),
    pod("c", { ips: ["10.1.0.3"], ready: false }),
  ], [{
    addresses: [address("b", "10.1.0.10"), address("a", "10.1.0.9")],
    notReadyAddresses: [address("c", "10.1.0.3")],
    ports: [HTTP],
  }]],
  ["a pod that is being deleted", service(), [pod("p", { deleting: true })], []],
  [
    "one that is, which does not matter",
    service(ALL),
    [pod("p", { deleting: true, ready: false })],
    ready(address("p")),
  ],
  ["pods at their end", service(ALL), [pod("p", { phase: "Failed" }), pod("q", { phase: "Succeeded" })], []],
  ["pods in other phases", service(), [pod("p", { phase: "Pending" }), pod("q", { phase: "Unknown" })], [
    ...ready(address("p"), address("q")),
  ]],
  ["a pod without an address", service(), [pod("p", { ips: [] })], []],
  ["a pod with an address of another family", service({ ipFamilies: ["IPv6"] }), [pod("p")], []],
  ["both families, the second first", service({ ipFamilies: ["IPv6", "IPv4"] }), [
    pod("p", { ips: ["10.1.0.1", "FD00:0::5"] }),
  ], ready(address("p", "fd00::5"))],
  ["no families, but an address", service({ ipFamilies: undefined, clusterIP: "fd00::1" }), [
    pod("p", { ips: ["10.1.0.1", "fd00::5"] }),
  ], ready(address("p", "fd00::5"))],
  ["neither", service({ ipFamilies: [], clusterIP: "None" }), [
    pod("p", { ips: ["fd00::6", "10.1.0.2"] }),
    pod("q"),
  ], ready(address("q"), address("p", "fd00::6"))],
  ["an address with leading zeros", service(), [pod("p", { ips: ["010.001.000.001"] })], ready(address("p"))],
  ["addresses that cannot be read", service(), [
    pod("p", { ips: ["10.1.0", "x".repeat(1000), "300.1.1.1", "::x"] }),
    pod("q", { ips: ["?", "10.1.0.1"] }),
  ], ready(address("q"))],
  ["a pod without a node", service(), [pod("p", { spec: { nodeName: undefined } })], [
    { addresses: [{ ...address("p"), nodeName: "" }], ports: [HTTP] },
  ]],
  ["pods with the same address", service(), [pod("q"), pod("p")], ready(address("p"), address("q"))],
  ["hostnames", service(), [
    pod("p", { spec: { hostname: "h", subdomain: "s" } }),
    pod("q", { spec: { hostname: "h", subdomain: "t" } }),
  ], [{ addresses: [{ hostname: "h", ...address("p") }, address("q")], ports: [HTTP] }]],
  ["no ports and no address", service(HEADLESS), [pod("p"), pod("q", { ready: false, ips: ["10.1.0.2"] })], [
    { addresses: [address("p")], notReadyAddresses: [address("q", "10.1.0.2")] },
  ]],
  ["no ports, but an address", service({ ports: [] }), [pod("p")], []],
  [
    "two ports of one number",
    service({
      ports: [{ name: "a", port: 1, protocol: "TCP", targetPort: 80 }, {
        name: "b",
        port: 2,
        protocol: "UDP",
        targetPort: 80,
        appProtocol: "x",
      }],
    }),
    [pod("p")],
    [{
      addresses: [address("p")],
      ports: [{ name: "b", port: 80, protocol: "UDP", appProtocol: "x" }, { name: "a", port: 80, protocol: "TCP" }],
    }],
  ],
  ["a port without a name", service({ ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }] }), [pod("p")], [
    { addresses: [address("p")], ports: [{ port: 8080, protocol: "TCP" }] },
  ]],
  ["a named port that only some have", service(WEB), [
    pod("p", { spec: web(8080) }),
    pod("q", { ips: ["10.1.0.2"], spec: web(8080) }),
    pod("r", { ips: ["10.1.0.3"], spec: web(8080, "UDP") }),
    pod("s", { ips: ["10.1.0.4"] }),
  ], [{ addresses: [address("p"), address("q", "10.1.0.2")], ports: [{ name: "http", port: 8080, protocol: "TCP" }] }]],
];

for (const [title, of, pods, subsets] of CASES) {
  Deno.test(`desiredSubsets of ${title}`, async () => {
    const found = await desired(of, ...pods);
    const order = (all: EndpointSubset[]) =>
      all.map((subset) => ({
        ...subset,
        ports: subset.ports?.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
      }));
    assertEquals(order(found), order(subsets));
  });
}

Deno.test("desiredSubsets gives a subset for each number that a named port has", async () => {
  const found = await desired(
    service(WEB),
    pod("p", { spec: web(8080) }),
    pod("q", { ips: ["10.1.0.2"], spec: web(8081) }),
    pod("r", { ips: ["10.1.0.3"], spec: web(8080), ready: false }),
  );
  const texts = found.map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    `${addresses.map(({ ip }) => ip)} ${notReadyAddresses.map(({ ip }) => ip)} ${ports.map(({ port }) => port)}`
  );
  assertEquals(texts.sort(), ["10.1.0.1 10.1.0.3 8080", "10.1.0.2  8081"]);
});

Deno.test("desiredSubsets takes a step at least every pod and every few ports", () => {
  const ports = Array.from({ length: 320 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: "TCP" }));
  const work = desiredSubsets(service({ ports }), Array.from({ length: 50 }, (_, i) => pod(`p${i}`)));
  let steps = 0;
  while (!work.next().done) steps++;
  assertEquals(steps > 50 * 21, true);
});

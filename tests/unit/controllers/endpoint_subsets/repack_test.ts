import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock, TurnBudget } from "../../../../src/base/mod.ts";
import type { EndpointAddress, EndpointSubset } from "../../../../src/api/mod.ts";
import { repackSubsets, TooManyAddressesError } from "../../../../src/controllers/endpoint_subsets/mod.ts";
import upstream from "./repacked_upstream.json" with { type: "json" };

function repack(subsets: readonly EndpointSubset[]): Promise<EndpointSubset[]> {
  return new TurnBudget(new FakeClock()).run(repackSubsets(subsets));
}

/** A generator's steps. */
function stepsOf(subsets: readonly EndpointSubset[]): number {
  let steps = 0;
  for (const work = repackSubsets(subsets); !work.next().done;) steps++;
  return steps;
}

const address = (ip: string, uid?: string): EndpointAddress =>
  uid === undefined ? { ip } : { ip, targetRef: { kind: "Pod", namespace: "a", name: `p-${uid}`, uid } };
const HTTP = { name: "http", port: 80, protocol: "TCP" };
const HTTPS = { name: "https", port: 443, protocol: "TCP", appProtocol: "kubernetes.io/h2c" };

Deno.test("repackSubsets gives what upstream's function gives, in its order", async () => {
  for (
    const [i, { given, repacked }] of (upstream as { given: EndpointSubset[]; repacked: EndpointSubset[] }[]).entries()
  ) {
    assertEquals(await repack(given), repacked, `case ${i}`);
    assertEquals(await repack(await repack(given)), repacked, `case ${i} again`);
    assertEquals(await repack(given.toReversed().map((subset) => ({ ...subset }))), await repack(given.toReversed()));
  }
});

const CASES: readonly (readonly [title: string, given: EndpointSubset[], repacked: EndpointSubset[]])[] = [
  ["nothing", [], []],
  ["ports that nobody has", [{ ports: [HTTP] }, {}], []],
  ["one subset an address", ["10.0.0.2", "10.0.0.10"].map((ip) => ({ addresses: [address(ip)], ports: [HTTP] })), [
    { addresses: [address("10.0.0.10"), address("10.0.0.2")], ports: [HTTP] },
  ]],
  ["one subset a port", [HTTP, HTTPS].map((port) => ({ addresses: [address("10.0.0.1")], ports: [port] })), [
    { addresses: [address("10.0.0.1")], ports: [HTTPS, HTTP] },
  ]],
  ["addresses without ports", [{ addresses: [address("10.0.0.1")] }, { addresses: [address("10.0.0.2")] }], [
    { addresses: [address("10.0.0.1"), address("10.0.0.2")] },
  ]],
  ["addresses without ports that have one, too", [{ addresses: [address("10.0.0.1")] }, {
    addresses: [address("10.0.0.1")],
    ports: [HTTP],
  }], [{ addresses: [address("10.0.0.1")], ports: [HTTP] }]],
  ["an address that is ready and not ready", [{
    addresses: [address("10.0.0.1")],
    notReadyAddresses: [address("10.0.0.1")],
    ports: [HTTP],
  }], [{ notReadyAddresses: [address("10.0.0.1")], ports: [HTTP] }]],
  ["an address that is not ready somewhere else", [
    { notReadyAddresses: [address("10.0.0.1")], ports: [HTTP] },
    { addresses: [address("10.0.0.1")], ports: [HTTP] },
  ], [{ notReadyAddresses: [address("10.0.0.1")], ports: [HTTP] }]],
  ["pods with one address", [{ addresses: [address("10.0.0.1", "b"), address("10.0.0.1", "a")], ports: [HTTP] }], [
    { addresses: [address("10.0.0.1", "a"), address("10.0.0.1", "b")], ports: [HTTP] },
  ]],
  ["what refers to a pod after what does not", [{
    addresses: [address("10.0.0.1", "a"), address("10.0.0.1")],
    ports: [HTTP],
  }], [{ addresses: [address("10.0.0.1"), address("10.0.0.1", "a")], ports: [HTTP] }]],
];

for (const [title, given, repacked] of CASES) {
  Deno.test(`repackSubsets puts in order ${title}`, async () => assertEquals(await repack(given), repacked));
}

Deno.test("repackSubsets leaves what it is given as it is", async () => {
  const given = [{ addresses: [address("10.0.0.2"), address("10.0.0.1")], ports: [HTTP, HTTPS] }];
  const before = structuredClone(given);
  await repack(given);
  assertEquals(given, before);
});

Deno.test("repackSubsets takes a step at least every few hundred addresses and every port", async () => {
  const addresses = Array.from({ length: 20_000 }, (_, i) => address(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`));
  const ports = Array.from({ length: 3_000 }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: "TCP" }));
  const given = [{ addresses, ports }];
  assertEquals(stepsOf(given) > 6_000, true);
  const [{ addresses: sorted = [], ports: all = [] }] = await repack(given);
  assertEquals([sorted.length, all.length], [20_000, 3_000]);
  assertEquals(sorted.map(({ ip }) => ip), addresses.map(({ ip }) => ip).sort());
});

Deno.test("repackSubsets refuses subsets that multiply to more addresses than anybody could write", async () => {
  const addresses = Array.from({ length: 9_000 }, (_, i) => address(`10.0.${i >> 8}.${i & 255}`));
  const subsets = Array.from({ length: 120 }, (_, i) => ({
    addresses: [address(`10.1.0.${i}`)],
    ports: [{ name: `p${i}`, port: i + 1, protocol: "TCP" }],
  }));
  const { ports } = { ports: subsets.flatMap(({ ports }) => ports) };
  await assertRejects(() => repack([...subsets, { addresses, ports }]), TooManyAddressesError, "1000000");
});

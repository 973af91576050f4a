import { assertEquals } from "@std/assert";
import type { Pod, Service } from "../../../../src/api/mod.ts";
import {
  canonicalAddress,
  hostnameFor,
  isHeadless,
  isPodInEndpoints,
  podAddresses,
  targetPortOf,
} from "../../../../src/controllers/service_pods/mod.ts";

Deno.test("canonicalAddress reads addresses as Kubernetes always has, and writes them as Go does", () => {
  const cases: readonly (readonly [text: string, expected: string | undefined])[] = [
    ["10.0.0.1", "IPv4 10.0.0.1"],
    ["010.000.0.01", "IPv4 10.0.0.1"],
    ["10.0.0.256", undefined],
    ["10.0.0", undefined],
    ["10.0.0.1.2", undefined],
    ["0x0a.0.0.1", undefined],
    ["::1", "IPv6 ::1"],
    ["FD00:0:0::5", "IPv6 fd00::5"],
    ["1:0:0:2:0:0:0:3", "IPv6 1:0:0:2::3"],
    ["1:0:0:2:3:0:0:3", "IPv6 1::2:3:0:0:3"],
    ["1:2:3:4:5:6:7::", "IPv6 1:2:3:4:5:6:7:0"],
    ["::ffff:1.2.3.4", "IPv4 1.2.3.4"],
    ["::ffff:102:304", "IPv4 1.2.3.4"],
    ["::1.2.3.4", "IPv6 ::102:304"],
    ["64:ff9b::1.2.3.4", "IPv6 64:ff9b::102:304"],
    ["::ffff:1.2.3.999", undefined],
    ["fe80::1%eth0", undefined],
    ["1::2::3", undefined],
    ["[::1]", undefined],
    ["", undefined],
    ["not an address", undefined],
  ];
  for (const [text, expected] of cases) {
    const address = canonicalAddress(text);
    assertEquals(address && `${address.family} ${address.text}`, expected, text);
  }
});

Deno.test("podAddresses leaves out what cannot be read", () => {
  const podIPs = [{ ip: "10.0.0.1" }, { ip: "nonsense" }, { ip: "FD00::1" }];
  assertEquals(podAddresses({ status: { podIPs } }).map(({ text }) => text), ["10.0.0.1", "fd00::1"]);
  assertEquals(podAddresses({}), []);
});

Deno.test("isPodInEndpoints wants an address and a pod that has not come to its end", () => {
  const podIPs = [{ ip: "10.0.0.1" }];
  const deleting = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { podIPs } };
  assertEquals(isPodInEndpoints({ status: { podIPs } }, { terminating: false }), true);
  assertEquals(isPodInEndpoints({ status: { podIP: "10.0.0.1" } }, { terminating: false }), true);
  assertEquals(isPodInEndpoints({ status: {} }, { terminating: false }), false);
  assertEquals(isPodInEndpoints({ status: { podIPs, phase: "Failed" } }, { terminating: true }), false);
  assertEquals(isPodInEndpoints({ status: { podIPs, phase: "Unknown" } }, { terminating: true }), true);
  assertEquals(isPodInEndpoints(deleting, { terminating: false }), false);
  assertEquals(isPodInEndpoints(deleting, { terminating: true }), true);
});

Deno.test("hostnameFor is the hostname of a pod whose subdomain is the Service", () => {
  const service: Service = { metadata: { namespace: "a", name: "db" } };
  const pod = (hostname?: string, subdomain?: string): Pod => ({
    metadata: { namespace: "a" },
    spec: { containers: [], hostname, subdomain },
  });
  assertEquals(hostnameFor(pod("db-0", "db"), service), "db-0");
  assertEquals(hostnameFor(pod("db-0", "web"), service), undefined);
  assertEquals(hostnameFor(pod("", "db"), service), undefined);
  assertEquals(hostnameFor({ ...pod("db-0", "db"), metadata: { namespace: "b" } }, service), undefined);
});

Deno.test("isHeadless says of a Service that it has no address", () => {
  assertEquals(["None", "", undefined, "10.0.0.1"].map((clusterIP) => isHeadless({ spec: { clusterIP } })), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("targetPortOf takes a number as it is and looks a name up, in sidecars last", () => {
  const container = (name: string, containerPort: number, protocol = "TCP") => ({
    name: `c${containerPort}`,
    ports: [{ name, containerPort, protocol }],
  });
  const pod: Pod = {
    spec: {
      containers: [container("http", 80), container("http", 81), container("dns", 53, "UDP")],
      initContainers: [{ ...container("proxy", 1) }, { ...container("proxy", 2), restartPolicy: "Always" }],
    },
  };
  const find = (targetPort: string | number | undefined, protocol = "TCP") =>
    targetPortOf(pod, { port: 1000, targetPort, protocol });
  assertEquals([find(8080), find("http"), find("http", "UDP"), find("dns", "UDP"), find("proxy"), find("x")], [
    8080,
    80,
    undefined,
    53,
    2,
    undefined,
  ]);
});

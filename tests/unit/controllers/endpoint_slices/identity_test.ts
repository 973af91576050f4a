import { assertEquals, assertNotEquals } from "@std/assert";
import type { Endpoint } from "../../../../src/api/mod.ts";
import { endpointKey, inHashOrder, isSameEndpoint, portKey } from "../../../../src/controllers/endpoint_slices/mod.ts";

const HTTP = { name: "http", port: 80, protocol: "TCP" };
const DNS = { name: "dns", port: 53, protocol: "UDP" };

Deno.test("portKey is the same for the same ports in whatever order, and for no list and an empty one", () => {
  assertEquals(portKey([HTTP, DNS]), portKey([DNS, HTTP]));
  assertEquals(portKey(null), portKey([]));
  const others = [[HTTP], [HTTP, HTTP], [{ ...HTTP, port: 81 }], [{ ...HTTP, appProtocol: "" }], [{
    ...HTTP,
    name: "",
  }], [
    { port: 80, protocol: "TCP" },
  ]];
  assertEquals(new Set(others.map(portKey)).size, others.length);
});

Deno.test("inHashOrder sorts ports as upstream writes them", () => {
  const ports = [80, 443, 8080].map((port) => ({ name: `p${port}`, port, protocol: "TCP" }));
  // By FNV-1a of Go's dump of each port.
  assertEquals(inHashOrder(ports), inHashOrder(ports.toReversed()));
  assertEquals(inHashOrder([HTTP]), [HTTP]);
});

Deno.test("endpointKey tells endpoints apart by addresses, hostname and the target's name", () => {
  const one: Endpoint = { addresses: ["b", "a"], hostname: "h", targetRef: { namespace: "n", name: "p", uid: "1" } };
  assertEquals(
    endpointKey(one),
    endpointKey({ ...one, addresses: ["a", "b"], zone: "z", targetRef: { ...one.targetRef, uid: "2" } }),
  );
  for (const other of [{ addresses: ["a"] }, { hostname: undefined }, { targetRef: { namespace: "n", name: "q" } }]) {
    assertNotEquals(endpointKey(one), endpointKey({ ...one, ...other }));
  }
});

Deno.test("isSameEndpoint looks at all but hints and the target's resource version; an absent condition is not a false one", () => {
  const one: Endpoint = {
    addresses: ["a"],
    conditions: { ready: true, serving: false },
    nodeName: "n",
    zone: "z",
    targetRef: { kind: "Pod", uid: "1" },
  };
  const same = {
    ...one,
    hints: { forZones: [{ name: "z" }] },
    targetRef: { kind: "Pod", uid: "1", resourceVersion: "7" },
  };
  assertEquals(isSameEndpoint(one, same), true);
  const others: Partial<Endpoint>[] = [
    { nodeName: undefined },
    { zone: "y" },
    { conditions: { ready: true } },
    { conditions: { ready: true, serving: false, terminating: false } },
    { targetRef: undefined },
    { targetRef: { kind: "Pod", uid: "2" } },
  ];
  for (const other of others) assertEquals(isSameEndpoint(one, { ...one, ...other }), false, JSON.stringify(other));
});

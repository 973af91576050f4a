import { assertEquals } from "@std/assert";
import type { EndpointSubset } from "../../../../src/api/mod.ts";
import { Fnv1a128 } from "../../../../src/base/mod.ts";
import { dumpPort, dumpSubset } from "../../../../src/controllers/endpoint_subsets/go_dump.ts";

function hashOf(pieces: Iterable<string>): string {
  const hash = new Fnv1a128();
  for (const piece of pieces) hash.update(new TextEncoder().encode(piece));
  return hash.hex;
}

const HTTP = { name: "http", port: 80, protocol: "TCP" };
const targetRef = { kind: "Pod", namespace: "ns", name: "p", uid: "u1" };

Deno.test("dumpPort prints as Go does, and so hashes alike", () => {
  assertEquals(
    dumpPort(HTTP),
    "(v1.EndpointPort){Name:(string)http Port:(int32)80 Protocol:(v1.Protocol)TCP AppProtocol:(*string)<nil>}",
  );
  assertEquals(hashOf([dumpPort(HTTP)]), "754b003f50f133a539c60d18cfb30a55");
  const https = { name: "https", port: 443, protocol: "TCP", appProtocol: "kubernetes.io/h2c" };
  assertEquals(hashOf([dumpPort(https)]), "6d68f0dffb836ae9a7918903e2601ace");
});

/** With the hashes that upstream's code gives. */
const SUBSETS: readonly (readonly [EndpointSubset, string])[] = [
  [{ addresses: [{ ip: "10.0.0.1", nodeName: "n1", targetRef }], ports: [HTTP] }, "81fe2ea54782097d3d558d996f0f3966"],
  [{
    addresses: [
      { ip: "10.0.0.1", nodeName: "n1", hostname: "h", targetRef: { ...targetRef, resourceVersion: "7" } },
      { ip: "10.0.0.2" },
      { ip: "10.0.0.3", nodeName: "" },
    ],
    ports: [HTTP, { port: 81, appProtocol: "n1" }],
  }, "ad4f9fc2755d318a6f262c761ec013d1"],
  [{ notReadyAddresses: [{ ip: "fd00::1" }] }, "516d8fc29f71f4d66a72c644cdbb7d74"],
  [{}, "5ae23ef3811b585a8fa9bd9f2392e5f3"],
];

Deno.test("dumpSubset prints as Go does, and so hashes alike", () => {
  for (const [subset, hash] of SUBSETS) assertEquals(hashOf(dumpSubset(subset)), hash);
  assertEquals(
    [...dumpSubset({ addresses: [], ports: [] })].join(""),
    "(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)<nil> NotReadyAddresses:([]v1.EndpointAddress)<nil> " +
      "Ports:([]v1.EndpointPort)<nil>}",
  );
});

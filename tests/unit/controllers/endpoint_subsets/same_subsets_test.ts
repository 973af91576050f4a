import { assertEquals } from "@std/assert";
import type { EndpointSubset } from "../../../../src/api/mod.ts";
import { sameSubsets } from "../../../../src/controllers/endpoint_subsets/mod.ts";

const targetRef = { kind: "Pod", namespace: "a", name: "p", uid: "u" };
const ADDRESS = { ip: "10.0.0.1", nodeName: "n", targetRef };
const PORT = { name: "http", port: 80, protocol: "TCP" };
const SUBSET: EndpointSubset = { addresses: [ADDRESS], ports: [PORT] };

const SAME: readonly (readonly [string, EndpointSubset])[] = [
  ["another version of the pod", {
    ...SUBSET,
    addresses: [{ ...ADDRESS, targetRef: { ...targetRef, resourceVersion: "7" } }],
  }],
  ["empty lists", { ...SUBSET, notReadyAddresses: [] }],
  ["an empty hostname", { ...SUBSET, addresses: [{ ...ADDRESS, hostname: "" }] }],
  ["empty texts of the reference", {
    ...SUBSET,
    addresses: [{ ...ADDRESS, targetRef: { ...targetRef, fieldPath: "" } }],
  }],
];

const OTHER: readonly (readonly [string, EndpointSubset])[] = [
  ["another address", { ...SUBSET, addresses: [{ ...ADDRESS, ip: "10.0.0.2" }] }],
  ["one more address", { ...SUBSET, addresses: [ADDRESS, { ip: "10.0.0.2" }] }],
  ["an address that is not ready", { notReadyAddresses: [ADDRESS], ports: [PORT] }],
  ["no node", { ...SUBSET, addresses: [{ ip: ADDRESS.ip, targetRef }] }],
  ["a node without a name", { ...SUBSET, addresses: [{ ...ADDRESS, nodeName: "" }] }],
  ["no reference", { ...SUBSET, addresses: [{ ip: ADDRESS.ip, nodeName: "n" }] }],
  ["a reference with a version of the API", {
    ...SUBSET,
    addresses: [{ ...ADDRESS, targetRef: { ...targetRef, apiVersion: "v1" } }],
  }],
  ["a hostname", { ...SUBSET, addresses: [{ ...ADDRESS, hostname: "h" }] }],
  ["another name of the port", { ...SUBSET, ports: [{ ...PORT, name: "web" }] }],
  ["another protocol", { ...SUBSET, ports: [{ ...PORT, protocol: "UDP" }] }],
  ["an application protocol", { ...SUBSET, ports: [{ ...PORT, appProtocol: "" }] }],
  ["no ports", { addresses: [ADDRESS] }],
];

Deno.test("sameSubsets does not mind what says nothing", () => {
  for (const [title, other] of SAME) assertEquals(sameSubsets([SUBSET], [other]), true, title);
});

Deno.test("sameSubsets sees every other difference, and that of order", () => {
  for (const [title, other] of OTHER) assertEquals(sameSubsets([SUBSET], [other]), false, title);
  assertEquals(sameSubsets([SUBSET, {}], [{}, SUBSET]), false);
  assertEquals(sameSubsets([SUBSET], []), false);
});

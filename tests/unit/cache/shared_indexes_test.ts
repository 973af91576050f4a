import { assertEquals } from "@std/assert";
import {
  controllerIndexOf,
  controllerIndexValue,
  ensureIndexer,
  Indexer,
  namespaceOf,
  nodeNameOf,
} from "../../../src/cache/mod.ts";
import type { Pod } from "../../../src/api/mod.ts";
import { pod } from "./fixtures.ts";

Deno.test("controllerIndexOf gives namespace, kind, name and uid of the controlling owner, or the namespace alone", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u1" };
  assertEquals(controllerIndexOf(pod("a", 1, { ownerReferences: [{ ...owner, controller: true }] })), [
    "ns/ReplicaSet/web/u1",
  ]);
  assertEquals(controllerIndexOf(pod("a", 1, { ownerReferences: [owner] })), ["ns"]);
  assertEquals(controllerIndexOf(pod("a")), ["ns"]);
  assertEquals(controllerIndexValue("ns", owner), "ns/ReplicaSet/web/u1");
});

Deno.test("nodeNameOf leaves out pods without a node", () => {
  const on = (nodeName: string): Pod => ({ ...pod("a"), spec: { containers: [], nodeName } });
  assertEquals([nodeNameOf(on("n1")), nodeNameOf(on("")), nodeNameOf(pod("a"))], [["n1"], [], []]);
});

Deno.test("namespaceOf puts cluster-scoped objects under the empty value", () => {
  assertEquals([namespaceOf(pod("a")), namespaceOf({ metadata: { name: "n" } })], [["ns"], [""]]);
});

Deno.test("ensureIndexer adds an index once, whoever asks for it", () => {
  const store = new Indexer();
  ensureIndexer(store, "namespace", namespaceOf);
  ensureIndexer(store, "namespace", namespaceOf);
  store.add(pod("a"));
  assertEquals(store.indexKeys("namespace", "ns"), ["ns/a"]);
});

import { assertEquals, assertStrictEquals } from "@std/assert";
import { EVERYTHING, type KubeObject, NOTHING, parseLabelSelector } from "../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../src/cache/mod.ts";

function listerOf(...objects: KubeObject[]) {
  const store = new Indexer<KubeObject>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  for (const object of objects) store.add(object);
  return new Lister(store);
}

const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata?.name).sort();
const one = { metadata: { namespace: "x", name: "one", labels: { app: "web" } } };
const two = { metadata: { namespace: "y", name: "two", labels: { app: "web" } } };
const three = { metadata: { namespace: "y", name: "three" } };
const node = { metadata: { name: "node" } };

Deno.test("Lister.get gives the cached object itself, or undefined", () => {
  const lister = listerOf(one, node);
  assertStrictEquals(lister.get("x", "one"), one);
  assertStrictEquals(lister.get(undefined, "node"), node);
  assertEquals([lister.get("y", "one"), lister.get("", "one")], [undefined, undefined]);
});

Deno.test("Lister.list gives the objects of one or all namespaces that the selector matches", () => {
  const lister = listerOf(one, two, three);
  const web = parseLabelSelector("app=web");
  assertEquals(names(lister.list()), ["one", "three", "two"]);
  assertEquals(names(lister.list({ namespace: "" })), ["one", "three", "two"]);
  assertEquals(names(lister.list({ namespace: "y" })), ["three", "two"]);
  assertEquals(names(lister.list({ namespace: "y", selector: web })), ["two"]);
  assertEquals(names(lister.list({ selector: web })), ["one", "two"]);
  assertEquals(names(lister.list({ selector: EVERYTHING })), ["one", "three", "two"]);
  assertEquals(names(lister.list({ selector: NOTHING })), []);
  assertEquals(names(lister.list({ namespace: "z" })), []);
});

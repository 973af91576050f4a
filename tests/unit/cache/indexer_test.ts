import { assertEquals, assertThrows } from "@std/assert";
import { DeletedFinalStateUnknown, Indexer, namespaceOf } from "../../../src/cache/mod.ts";
import type { KubeObject } from "../../../src/api/mod.ts";
import { contentOf, pod } from "./fixtures.ts";

const byLabels = (object: KubeObject) => Object.keys(object.metadata?.labels ?? {});

function tagged(name: string, tags: string[], resourceVersion = 1) {
  return pod(name, resourceVersion, { labels: Object.fromEntries(tags.map((tag) => [tag, ""])) });
}

Deno.test("Indexer: add and update are the same upsert; deleting an absent key does nothing", () => {
  const store = new Indexer();
  assertEquals(store.update(pod("a", 1)), undefined);
  assertEquals(store.add(pod("a", 2)), pod("a", 1));
  assertEquals(store.delete(pod("b", 3)), undefined);
  assertEquals(contentOf(store.list()), ["a@2"]);
  assertEquals(store.delete(pod("a", 4)), pod("a", 2));
  assertEquals([store.list(), store.keys(), store.size, store.has("ns/a")], [[], [], 0, false]);
});

Deno.test("Indexer: every index holds exactly the keys of the objects that have a value, and no value without keys", () => {
  const store = new Indexer({ indexers: { tag: byLabels } });
  store.add(tagged("a", ["x", "y"]));
  assertEquals(store.indexValues("tag").sort(), ["x", "y"]);
  store.update(tagged("a", ["y", "z"]));
  assertEquals(store.indexValues("tag").sort(), ["y", "z"]);
  assertEquals(store.indexKeys("tag", "x"), []);
  assertEquals(store.indexKeys("tag", "y"), ["ns/a"]);
  store.delete(tagged("a", ["no longer what is stored"]));
  assertEquals(store.indexValues("tag"), []);
});

Deno.test("Indexer.index gives the objects that share a value, each once", () => {
  const store = new Indexer({ indexers: { tag: byLabels } });
  store.add(tagged("a", ["x", "y"]));
  store.add(tagged("b", ["y"]));
  store.add(tagged("c", ["z"]));
  assertEquals(contentOf(store.index("tag", tagged("other", ["x", "y"]))), ["a@1", "b@1"]);
  assertEquals(store.indexKeys("tag", "y"), ["ns/a", "ns/b"]);
});

Deno.test("Indexer: a replacement swaps objects, indexes and resource version in one step; no reader sees a mixture", () => {
  const store = new Indexer({ indexers: { tag: byLabels } });
  store.add(tagged("a", ["x"]));
  const staged = store.stage();
  staged.put("ns/b", tagged("b", ["y"], 7));
  assertEquals([contentOf(store.list()), store.resourceVersion], [["a@1"], "1"]);
  const before = store.swap(staged, "9");
  assertEquals([...before.keys()], ["ns/a"]);
  assertEquals(contentOf(store.list()), ["b@7"]);
  assertEquals([store.indexKeys("tag", "x"), store.indexKeys("tag", "y")], [[], ["ns/b"]]);
  assertEquals(store.resourceVersion, "9");
});

Deno.test("Indexer.swap indexes what was staged before an index was added", () => {
  const store = new Indexer();
  const staged = store.stage();
  staged.put("ns/a", tagged("a", ["x"]));
  store.addIndexers({ tag: byLabels });
  store.swap(staged, "2");
  assertEquals(store.indexKeys("tag", "x"), ["ns/a"]);
});

Deno.test("Indexer.replace keeps the later of two objects with one key", () => {
  const store = new Indexer();
  store.replace([pod("a", 1), pod("a", 2)], "3");
  assertEquals(contentOf(store.list()), ["a@2"]);
});

Deno.test("Indexer: the resource version is that of the last object written, replacement or bookmark", () => {
  const store = new Indexer();
  assertEquals(store.resourceVersion, "");
  const versions: string[] = [];
  const note = () => versions.push(store.resourceVersion);
  store.add(pod("a", 5));
  note();
  store.bookmark("8");
  note();
  store.delete(pod("a", 9));
  note();
  store.replace([pod("b", 2)], "20");
  note();
  store.delete(new DeletedFinalStateUnknown("ns/b", pod("b", 2)));
  note();
  store.add({ metadata: { name: "no version" } });
  note();
  assertEquals(versions, ["5", "8", "9", "20", "20", "20"]);
});

Deno.test("Indexer: an index added later holds the objects already present", () => {
  const store = new Indexer();
  store.add(tagged("a", ["x"]));
  store.addIndexers({ tag: byLabels });
  assertEquals(store.indexKeys("tag", "x"), ["ns/a"]);
  assertEquals([store.hasIndexer("tag"), store.hasIndexer("toString")], [true, false]);
});

Deno.test("Indexer: a name taken already is an error and changes nothing", () => {
  const store = new Indexer({ indexers: { namespace: namespaceOf } });
  const error = () => store.addIndexers({ other: byLabels, namespace: byLabels });
  assertThrows(error, Error, "indexer conflict: namespace");
  assertEquals(store.hasIndexer("other"), false);
  store.add(pod("a"));
  assertEquals(contentOf(store.byIndex("namespace", "ns")), ["a@1"]);
});

Deno.test("Indexer: asking for an unknown index is an error", () => {
  const store = new Indexer();
  for (
    const ask of [() => store.byIndex("n", "x"), () => store.indexKeys("n", "x"), () => store.index("n", pod("a"))]
  ) {
    assertThrows(ask, Error, "Index with name n does not exist");
  }
});

Deno.test("Indexer throws what an index function throws, with the key and the index", () => {
  const store = new Indexer({
    indexers: {
      bad: () => {
        throw new Error("oops");
      },
    },
  });
  const message = 'unable to calculate an index entry for key "ns/a" on index "bad": oops';
  assertThrows(() => store.add(pod("a")), Error, message);
});

Deno.test("Indexer keeps an object whose index function throws, if it is told where to report it", () => {
  const reports: string[] = [];
  const store = new Indexer<KubeObject>({
    indexers: {
      picky: (object) => {
        if (object.metadata?.name === "bad") throw new Error("oops");
        return ["x"];
      },
    },
    onIndexError: (error) => reports.push(error.message),
  });
  store.add(pod("bad"));
  store.add(pod("good"));
  assertEquals(contentOf(store.list()), ["bad@1", "good@1"]);
  assertEquals(store.indexKeys("picky", "x"), ["ns/good"]);
  assertEquals(reports.length, 1);
});

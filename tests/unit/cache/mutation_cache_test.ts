import { assertEquals, assertThrows } from "@std/assert";
import { FakeClock } from "../../../src/base/mod.ts";
import { Indexer, MutationCache, namespaceOf } from "../../../src/cache/mod.ts";
import type { Pod } from "../../../src/api/mod.ts";
import { contentOf, pod } from "./fixtures.ts";

function cacheOf({ includeAdds = false, ttlMs = 60_000 } = {}) {
  const clock = new FakeClock();
  const store = new Indexer<Pod>({ indexers: { namespace: namespaceOf } });
  return { clock, store, cache: new MutationCache<Pod>({ clock, indexer: store, ttlMs, includeAdds }) };
}

const version = (object: Pod | undefined) => object?.metadata?.resourceVersion;

Deno.test("MutationCache: the larger resource version wins; if they are equal the store wins and the own write is forgotten", () => {
  const { store, cache } = cacheOf();
  store.add(pod("a", 5));
  cache.mutation(pod("a", 7));
  assertEquals(version(cache.get("ns/a")), "7");
  store.add(pod("a", 7));
  assertEquals(cache.get("ns/a"), store.get("ns/a"));
  store.add(pod("a", 6)); // a store that went back would show a remembered write
  assertEquals(version(cache.get("ns/a")), "6");
});

Deno.test("MutationCache compares versions as numbers, an absent one as the oldest", () => {
  const { store, cache } = cacheOf();
  store.add(pod("a", 9));
  cache.mutation(pod("a", 10));
  assertEquals(version(cache.get("ns/a")), "10");
  store.add(pod("b", ""));
  cache.mutation(pod("b", 1));
  assertEquals(version(cache.get("ns/b")), "1");
});

Deno.test("MutationCache throws for a version that is not a number", () => {
  const { store, cache } = cacheOf();
  store.add(pod("a", 5));
  cache.mutation(pod("a", "x7"));
  assertThrows(() => cache.get("ns/a"), TypeError, "Cannot compare the versions of ns/a");
});

Deno.test("MutationCache.mutation keeps what is remembered if that is newer", () => {
  const { store, cache } = cacheOf();
  store.add(pod("a", 5));
  cache.mutation(pod("a", 8));
  cache.mutation(pod("a", 7));
  assertEquals(version(cache.get("ns/a")), "8");
});

Deno.test("MutationCache: a key missing in the store is missing, unless adds are included and an own write is young", async () => {
  const without = cacheOf();
  without.cache.mutation(pod("a", 7));
  assertEquals(without.cache.get("ns/a"), undefined);
  const including = cacheOf({ includeAdds: true, ttlMs: 1000 });
  including.cache.mutation(pod("a", 7));
  await including.clock.advance(999);
  assertEquals(version(including.cache.get("ns/a")), "7");
  await including.clock.advance(1);
  assertEquals(including.cache.get("ns/a"), undefined);
});

Deno.test("MutationCache.byIndex replaces store hits by newer own writes, and adds own writes with that value if included", () => {
  const without = cacheOf();
  const including = cacheOf({ includeAdds: true });
  for (const { store, cache } of [without, including]) {
    store.add(pod("a", 5));
    store.add(pod("b", 6));
    cache.mutation(pod("a", 7));
    cache.mutation(pod("c", 8));
    cache.mutation({ ...pod("d", 9), metadata: { namespace: "other", name: "d", resourceVersion: "9" } });
  }
  assertEquals(contentOf(without.cache.byIndex("namespace", "ns")), ["a@7", "b@6"]);
  assertEquals(contentOf(including.cache.byIndex("namespace", "ns")), ["a@7", "b@6", "c@8"]);
  assertThrows(() => including.cache.byIndex("none", "ns"), Error, "Index with name none does not exist");
});

Deno.test("MutationCache: at most 100 own writes are remembered; the one unused for longest goes first", () => {
  const { cache } = cacheOf({ includeAdds: true });
  for (let i = 0; i < 100; i++) cache.mutation(pod(`p${i}`, 1));
  cache.get("ns/p0");
  cache.mutation(pod("p100", 1));
  assertEquals([cache.get("ns/p1"), version(cache.get("ns/p0")), version(cache.get("ns/p100"))], [undefined, "1", "1"]);
});

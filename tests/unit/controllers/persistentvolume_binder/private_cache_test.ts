import { assertEquals, assertThrows } from "@std/assert";
import type { PersistentVolume } from "../../../../src/api/mod.ts";
import { Indexer } from "../../../../src/cache/mod.ts";
import { PrivateCache } from "../../../../src/controllers/persistentvolume_binder/private_cache.ts";

const at = (resourceVersion: string, name = "v"): PersistentVolume => ({ metadata: { name, resourceVersion } });

Deno.test("PrivateCache: an older version never takes the place of a newer one", () => {
  const heard: (string | undefined)[][] = [];
  const version = (object?: PersistentVolume) => object?.metadata?.resourceVersion;
  const cache = new PrivateCache<PersistentVolume>({ onChange: (...both) => heard.push(both.map(version)) });
  assertEquals(["9", "10", "9", "10", "11"].map((each) => cache.store(at(each))), [true, true, false, true, true]);
  assertEquals([version(cache.get("v")), version(cache.remove("v")), cache.remove("v")], ["11", "11", undefined]);
  assertEquals(cache.store(at("9")), true);
  assertEquals(heard, [[undefined, "9"], ["9", "10"], ["10", "10"], ["10", "11"], ["11", undefined], [undefined, "9"]]);
});

Deno.test("PrivateCache: an object whose version cannot be compared with the one that is there is an error, and changes nothing", () => {
  const cache = new PrivateCache<PersistentVolume>();
  cache.store(at("9"));
  for (const version of ["", "x", "-1", "1e3"]) {
    assertThrows(() => cache.store(at(version)), Error, `versions "${version}" and "9" cannot be compared`);
  }
  assertEquals(cache.get("v"), at("9"));
});

Deno.test("PrivateCache: an object that the informer does not have is gone if it is older than the informer's position, and kept if it is newer", () => {
  const cache = new PrivateCache<PersistentVolume>();
  for (const [name, version] of [["old", "9"], ["new", "11"], ["shown", "10"]]) cache.store(at(version, name));
  const shown = new Indexer<PersistentVolume>();
  shown.replace([at("10", "shown")], "10");
  assertEquals(cache.keysBehind(shown), ["old"]);
  assertEquals(["old", "new", "shown", "unknown"].map((key) => cache.isBehind(key, shown)), [
    true,
    false,
    false,
    false,
  ]);
  shown.bookmark("11");
  assertEquals(cache.keysBehind(shown), ["old", "new"]);
});

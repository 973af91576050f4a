import { assertEquals } from "@std/assert";
import { AbsentOwnerCache } from "../../../../src/controllers/garbage_collector/absent_owner_cache.ts";

const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u", namespace: "a" };

Deno.test("AbsentOwnerCache knows exactly the identities it was given", () => {
  const cache = new AbsentOwnerCache();
  cache.add(OWNER);
  assertEquals(cache.has({ ...OWNER }), true);
  for (const other of ["apiVersion", "kind", "name", "uid", "namespace"]) {
    assertEquals(cache.has({ ...OWNER, [other]: "other" }), false, other);
  }
});

Deno.test("AbsentOwnerCache forgets the owner unused for longest beyond 500", () => {
  const cache = new AbsentOwnerCache();
  for (let i = 0; i < 500; i++) cache.add({ ...OWNER, uid: String(i) });
  cache.has({ ...OWNER, uid: "0" });
  cache.add(OWNER);
  assertEquals([cache.has({ ...OWNER, uid: "0" }), cache.has({ ...OWNER, uid: "1" }), cache.has(OWNER)], [
    true,
    false,
    true,
  ]);
});

Deno.test("AbsentOwnerCache keeps no owner whose names are longer than those of any object", () => {
  const cache = new AbsentOwnerCache();
  const endless = { ...OWNER, name: "n".repeat(1_000_000) };
  cache.add(endless);
  assertEquals(cache.has(endless), false);
  const longest = { ...OWNER, name: "n".repeat(253), namespace: "a".repeat(63), kind: "K".repeat(63) };
  cache.add(longest);
  assertEquals(cache.has(longest), true);
});

import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown, deletedKey, finalStateOf } from "../../../src/cache/mod.ts";
import { pod } from "./fixtures.ts";

Deno.test("deletedKey gives the key of an object, or the one in a tombstone", () => {
  assertEquals(deletedKey({ metadata: { name: "n" } }), "n");
  assertEquals(deletedKey({ metadata: { namespace: "a", name: "n" } }), "a/n");
  assertEquals(deletedKey(new DeletedFinalStateUnknown("a/n", undefined)), "a/n");
});

Deno.test("finalStateOf unwraps a tombstone, also one without an object", () => {
  const object = pod("a");
  assertEquals(finalStateOf(object), object);
  assertEquals(finalStateOf(new DeletedFinalStateUnknown("ns/a", object)), object);
  assertEquals(finalStateOf(new DeletedFinalStateUnknown<typeof object>("ns/a", undefined)), undefined);
});

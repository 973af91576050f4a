import { assertEquals } from "@std/assert";
import { messagesOf } from "./run.ts";

Deno.test("Checker: an error is reported once: what is wrong has a type that fits everywhere", () => {
  assertEquals(messagesOf("(object.nope.x == 1 && object.nope.y.z > 2) && object.nope.all(a, a > 'x')"), [
    "undefined field 'nope'",
    "undefined field 'nope'",
    "undefined field 'nope'",
  ]);
});

Deno.test("Checker: a variable of a macro hides others of its name, and ends with it", () => {
  assertEquals(messagesOf("object.spec.tags.all(object, object > 1) && object.spec.name == ''"), [
    "found no matching overload for '_>_' applied to '(string, int)'",
  ]);
  assertEquals(messagesOf("object.spec.tags.all(t, t == '') && t == 1"), [
    "undeclared reference to 't' (in container '')",
  ]);
});

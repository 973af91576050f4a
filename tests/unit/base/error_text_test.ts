import { assertEquals } from "@std/assert";
import { errorText } from "../../../src/base/mod.ts";

Deno.test("errorText gives an error's message, and anything else that was thrown as text", () => {
  assertEquals([new TypeError("no"), "gone", undefined, 7].map(errorText), ["no", "gone", "undefined", "7"]);
});

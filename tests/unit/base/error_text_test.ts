import { assertEquals } from "@std/assert";
import { errorText, toError } from "../../../src/base/mod.ts";

Deno.test("errorText gives an error's message, and anything else that was thrown as text", () => {
  assertEquals([new TypeError("no"), "gone", undefined, 7].map(errorText), ["no", "gone", "undefined", "7"]);
});

Deno.test("toError gives an error itself, and anything else that was thrown as an error with its text", () => {
  const error = new TypeError("no");
  assertEquals([toError(error) === error, toError("gone").message, toError(undefined).message], [
    true,
    "gone",
    "undefined",
  ]);
});

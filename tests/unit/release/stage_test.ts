import { assertEquals } from "@std/assert";
import { aliasesOf } from "../../../.ci/release/stage.ts";

Deno.test("aliasesOf says where packages lie for each name that is imported", () => {
  const imports = {
    "@std/path": "npm:deno-std@1.4.0/path/mod.js",
    "@scope/same": "npm:@scope/same@2.0.0",
    "other": "npm:@scope/name@1.0.0",
    "deep": "npm:@scope/name@1.0.0/lib/deep.js",
    "own": "./mod.ts",
  };
  assertEquals(aliasesOf(imports), {
    "@std/path": "deno-std/path/mod.js",
    "other": "@scope/name",
    "deep": "@scope/name/lib/deep.js",
  });
});

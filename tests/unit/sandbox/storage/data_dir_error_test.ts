import { assertEquals } from "@std/assert";
import { asDataDirError } from "../../../../src/sandbox/mod.ts";

Deno.test("asDataDirError names the directory on a full disk, and what to do", () => {
  const { message } = asDataDirError("/data", "it", new Error("database or disk is full"));
  assertEquals(
    message,
    'Cannot use the data directory "/data": database or disk is full; make room, or name another directory',
  );
});

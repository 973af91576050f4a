import { assertEquals } from "@std/assert";
import { staleFiles } from "../../../.ci/generate/generate.ts";

Deno.test("staleFiles names a file that differs or is missing", async () => {
  const license = await Deno.readTextFile(new URL("../../../LICENSE", import.meta.url));
  const files = new Map([["LICENSE", license], ["README.md", "// other"], ["src/api/generated_nothing.ts", ""]]);
  assertEquals(await staleFiles(files), ["README.md", "src/api/generated_nothing.ts"]);
});

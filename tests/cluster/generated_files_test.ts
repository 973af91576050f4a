/** What is generated from Kubernetes' sources is what the pinned version gives. */
import { assertEquals } from "@std/assert";
import { generatedFiles, staleFiles } from "../../.ci/generate/generate.ts";
import { testBeside } from "./cluster.ts";

testBeside("The files that are generated from Kubernetes' sources are as the pinned version makes them", async () => {
  assertEquals(await staleFiles(await generatedFiles()), [], "run `deno task gen`");
});

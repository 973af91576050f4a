import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const RUN = fromFileUrl(import.meta.resolve("../run.ts"));

Deno.test("a test that leaves a timer or an open file behind fails", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${folder}/leaks_test.ts`,
    `Deno.test("timer", () => void setTimeout(() => {}, 60_000));
     Deno.test("file", () => void Deno.openSync(Deno.execPath()));
     Deno.test("nothing", () => {});`,
  );
  const args = ["run", "--no-check", "--allow-all", RUN, folder];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
  const said = new TextDecoder().decode(stdout);
  assertEquals(code, 1, said);
  assertStringIncludes(said, "1 passed | 2 failed");
  await Deno.remove(folder, { recursive: true });
});

/**
 * Runs the tests of folders as `deno test` does, in as few modules as keep all processors busy: a file of its own would
 * load the program anew for each, which takes longer than most of its tests.
 *
 *     deno run --allow-all tests/run.ts tests/unit tests/property
 */
import { dirname, join, toFileUrl } from "@std/path";

/** So many that one with slow tests does not run on alone for long. */
const SHARDS_OF_A_PROCESSOR = 4;

async function* testFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* testFiles(path);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

/** Deals files out, so that slow neighbours come into different shards. */
async function writeShards(files: readonly string[], folder: string): Promise<string[]> {
  const count = Math.min(files.length, SHARDS_OF_A_PROCESSOR * navigator.hardwareConcurrency);
  const shards = Array.from({ length: count }, (_, at) => join(folder, `${at + 1}_test.ts`));
  for (const [at, shard] of shards.entries()) {
    const imports = files.filter((_, index) => index % count === at)
      .map((file) => `import ${JSON.stringify(toFileUrl(join(Deno.cwd(), file)).href)};\n`);
    await Deno.writeTextFile(shard, imports.join(""));
  }
  return shards;
}

const files = (await Promise.all(Deno.args.map((folder) => Array.fromAsync(testFiles(folder))))).flat().sort();
if (files.length === 0) throw new Error(`no tests in ${Deno.args.join(", ")}`);
const folder = await Deno.makeTempDir({ prefix: "kubeloop-tests-" });
try {
  const config = join(dirname(import.meta.dirname!), "deno.json");
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      `--config=${config}`,
      "--no-check",
      "--allow-all",
      "--trace-leaks",
      "--parallel",
      ...await writeShards(files, folder),
    ],
    stdin: "null",
  }).spawn().status;
  Deno.exitCode = code;
} finally {
  await Deno.remove(folder, { recursive: true });
}

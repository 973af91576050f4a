/**
 * Runs the tests of folders as `deno test` does, in as few modules as keep all processors busy: a file of its own would
 * load the program anew for each, which takes longer than most of its tests. Folders whose tests take longest come
 * first, so that no processor is left alone with them in the end. Folders named `timed` are left out: their tests
 * measure time, and run one after the other.
 *
 *     deno run --allow-all tests/run.ts tests/property tests/unit
 */
import { dirname, join, resolve, toFileUrl } from "@std/path";

async function* testFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && name !== "timed") yield* testFiles(path);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

/** Deals a folder's files out to a shard for each processor, so that slow neighbours come into different ones. */
function deal(files: readonly string[]): string[][] {
  const count = Math.min(files.length, navigator.hardwareConcurrency);
  return Array.from({ length: count }, (_, at) => files.filter((_, index) => index % count === at));
}

/** Writes a module for each of the shards; they run in the order of their names. */
async function writeShards(shards: readonly (readonly string[])[], folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const [at, files] of shards.entries()) {
    const path = join(folder, `${String(at + 1).padStart(3, "0")}_test.ts`);
    const imports = files.map((file) => `import ${JSON.stringify(toFileUrl(resolve(file)).href)};\n`);
    await Deno.writeTextFile(path, imports.join(""));
    paths.push(path);
  }
  return paths;
}

const files = await Promise.all(Deno.args.map((folder) => Array.fromAsync(testFiles(folder))));
const empty = Deno.args.filter((_, at) => files[at].length === 0);
if (empty.length > 0 || files.length === 0) throw new Error(`no tests in ${empty.join(", ")}`);
const folder = await Deno.makeTempDir({ prefix: "kubeloop-tests-" });
try {
  const config = join(dirname(import.meta.dirname!), "deno.json");
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      `--config=${config}`,
      "--no-check",
      "--allow-all",
      "--parallel",
      ...await writeShards(files.flatMap((each) => deal(each.sort())), folder),
    ],
    stdin: "null",
  }).spawn().status;
  Deno.exitCode = code;
} finally {
  await Deno.remove(folder, { recursive: true });
}

import { basename, fromFileUrl } from "@std/path";
import { run } from "./programs.ts";

export interface BundleOptions {
  /** What is run, and what it starts as workers beside itself, by their paths in the sources. */
  readonly entry: string;
  readonly workers: readonly string[];
  /** What runs in a worker before anything else, by its path in the sources. */
  readonly first: string;
  /** Where the program may be cut into parts: the doors of its rooms, by their paths in the sources. */
  readonly doors: readonly string[];
  /** Where packages lie for each name that is imported. */
  readonly alias: Readonly<Record<string, string>>;
  readonly output: string;
  /** Where Deno puts the bundler; what lies in its usual cache is not compared with the lock file. */
  readonly cache: string;
}

/**
 * Not among the imports of `deno.json`: Deno fetches all of those before it runs anything, and this brings a program of 10 MB that
 * only a release needs. It is locked apart; for another version delete that file, and make it anew with
 * `deno run --no-config --lock=.ci/release/esbuild.lock --allow-all npm:esbuild@VERSION --version`.
 */
const ESBUILD = "npm:esbuild@0.25.12";
const LOCK = fromFileUrl(new URL("./esbuild.lock", import.meta.url));

/** For stack traces: they tell lines apart, in which there is little. */
const LINE_LENGTH = 200;

/**
 * Makes few files of many. A thread that loads a module for each file takes twice the memory for its code: comments are source
 * text that is kept, and each module has tables of its own. Nor is all of it in one: what V8 allocates to parse a module is
 * several times as large as its text, and the C library keeps it in every thread. So each room is a part of its own.
 *
 * Names stay as they are, for the sake of stack traces. A worker is started by the URL of its file beside whoever starts it, and
 * all of them lie in one folder now. What modules share lies in files that would run before the first import of a worker, so that
 * one is imported once more, before them.
 *
 * @returns The entry's path in the output.
 */
export async function bundle(
  sources: string,
  { entry, workers, first, doors, alias, output, cache }: BundleOptions,
): Promise<{ readonly entry: string; readonly workers: readonly string[] }> {
  const deno = ["run", "--no-config", "--node-modules-dir=none", `--lock=${LOCK}`, "--frozen", "--allow-all", ESBUILD];
  await run(Deno.execPath(), [
    ...deno,
    ...[entry, ...workers, first].map((path) => `${nameOf(path)}=${path}`),
    ...doors.map((path) => `${path.replaceAll("/", "_").replace(/\.ts$/, "")}=${path}`),
    ...Object.entries(alias).map(([name, target]) => `--alias:${name}=${target}`),
    `--outdir=${output}`,
    "--bundle",
    "--splitting",
    "--format=esm",
    "--platform=neutral",
    "--target=esnext",
    "--main-fields=module,main",
    "--conditions=deno,module,import,default",
    "--external:node:*",
    "--legal-comments=none",
    "--minify-whitespace",
    "--minify-syntax",
    `--line-limit=${LINE_LENGTH}`,
    "--log-level=error",
  ], { cwd: sources, env: { DENO_DIR: cache } });
  for (const worker of workers) {
    const imports = [first, worker].map((path) => `import "./${nameOf(path)}.js";\n`);
    await Deno.writeTextFile(`${output}/${basename(worker)}`, imports.join(""));
  }
  return { entry: `${nameOf(entry)}.js`, workers: workers.map((worker) => basename(worker)) };
}

/** Without its folder and its ending. */
function nameOf(path: string): string {
  return basename(path, ".ts");
}

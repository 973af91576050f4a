import { basename } from "@std/path";
import { build, stop } from "esbuild";

export interface BundleOptions {
  /** What is run, and what it starts as workers beside itself, by their paths in the sources. */
  readonly entry: string;
  readonly workers: readonly string[];
  /** Where packages lie for each name that is imported. */
  readonly alias: Readonly<Record<string, string>>;
  readonly output: string;
}

/** For stack traces: they tell lines apart, in which there is little. */
const LINE_LENGTH = 200;

/**
 * Makes few files of many. A thread that loads a module for each file takes twice the memory for its code: comments are source
 * text that is kept, and each module has tables of its own.
 *
 * Names stay as they are, for the sake of stack traces. A worker is started by the URL of its file beside whoever starts it, and
 * all of them lie in one folder now.
 *
 * @returns The entry's path in the output.
 */
export async function bundle(
  sources: string,
  { entry, workers, alias, output }: BundleOptions,
): Promise<{ readonly entry: string; readonly workers: readonly string[] }> {
  await build({
    absWorkingDir: sources,
    entryPoints: [entry, ...workers].map((path) => ({ in: path, out: nameOf(path) })),
    outdir: output,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "esnext",
    mainFields: ["module", "main"],
    conditions: ["deno", "module", "import", "default"],
    external: ["node:*"],
    legalComments: "none",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: LINE_LENGTH,
    alias: { ...alias },
    logLevel: "silent",
  });
  await stop();
  for (const worker of workers) {
    await Deno.writeTextFile(`${output}/${basename(worker)}`, `import "./${nameOf(worker)}.js";\n`);
  }
  return { entry: `${nameOf(entry)}.js`, workers: workers.map((worker) => basename(worker)) };
}

/** Without its folder and its ending. */
function nameOf(path: string): string {
  return basename(path, ".ts");
}

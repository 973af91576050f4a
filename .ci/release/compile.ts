// deno-lint-ignore-file no-console -- it is there to print
/** Makes the executable: `deno task compile`. */
import { parseArgs } from "@std/cli/parse-args";
import { dirname, fromFileUrl, resolve } from "@std/path";
import { type Build, buildOf } from "./build.ts";
import type { NpmPackage } from "./lock_file.ts";
import type { PackageFacts } from "./package_files.ts";
import { run } from "./programs.ts";
import { COMPILE_FLAGS, ENTRY, WORKERS } from "./runtime_flags.ts";
import { stage } from "./stage.ts";

/** Where this script lies in. */
export const REPOSITORY = resolve(fromFileUrl(new URL("../../", import.meta.url)));

export interface CompileOptions {
  /** The executable. */
  readonly output: string;
  readonly entry?: string;
  readonly workers?: readonly string[];
}

/** What an executable was made of. */
export interface Compiled {
  readonly build: Build;
  readonly packages: ReadonlyMap<string, NpmPackage & PackageFacts>;
  /** Those of them that kubeloop imports itself, by `name@version`. */
  readonly imported: readonly string[];
}

/**
 * Compiles the checkout that this script lies in. The same commit, Deno and base runtime give the same bytes, wherever they lie.
 *
 * @throws {Error} If something is missing, or the executable would hold a path of this machine, or does not start.
 */
export async function compile({ output, entry = ENTRY, workers = WORKERS }: CompileOptions): Promise<Compiled> {
  const scratch = await Deno.makeTempDir({ prefix: "kubeloop-compile-" });
  try {
    const build = await buildOf(REPOSITORY);
    const made = await stage(REPOSITORY, { entry, workers, scratch, build });
    const includes = made.workers.map((worker) => `--include=${worker}`);
    await Deno.mkdir(dirname(output), { recursive: true });
    await run(
      Deno.execPath(),
      ["compile", ...COMPILE_FLAGS, ...includes, `--output=${resolve(output)}`, made.entry],
      { cwd: made.folder },
    );
    await refusePath(output, scratch);
    if (entry === ENTRY) await refuseOtherRuntime(output);
    return { build, packages: made.packages, imported: made.imported };
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** A path of this machine in the executable would make it another on the next. */
async function refusePath(executable: string, path: string): Promise<void> {
  const text = new TextDecoder("latin1").decode(await Deno.readFile(executable));
  const at = text.indexOf(path);
  if (at < 0) return;
  await Deno.remove(executable);
  throw new Error(
    `the executable would hold a path of this machine: ${JSON.stringify(text.slice(at - 200, at + 200))}`,
  );
}

/** Deno takes a base runtime of another version without a word, and makes of it what does not find its own code. */
async function refuseOtherRuntime(executable: string): Promise<void> {
  try {
    await run(resolve(executable), ["version"]);
  } catch (error) {
    await Deno.remove(executable);
    const hint = `is DENORT_BIN the base runtime of Deno ${Deno.version.deno}?`;
    throw new Error(`the executable does not start (${hint}): ${(error as Error).message.split("\n")[0]}`);
  }
}

if (import.meta.main) {
  const { output, entry, worker } = parseArgs(Deno.args, { string: ["output", "entry", "worker"] });
  if (!output) throw new Error("--output=FILE is missing");
  const { build, packages } = await compile({ output, entry, workers: worker ? [worker] : undefined });
  const { size } = await Deno.stat(output);
  console.log(
    `${output}: ${(size / 2 ** 20).toFixed(1)} MiB, commit ${build.commit || "unknown"} of ${build.date}, ` +
      `${packages.size} npm packages, Deno ${Deno.version.deno}`,
  );
}

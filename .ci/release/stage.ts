import { dirname } from "@std/path";
import type { Build } from "./build.ts";
import { cutLock, type LockFile, type NpmPackage, packagesFor } from "./lock_file.ts";
import { moduleGraph } from "./module_graph.ts";
import { folderOf } from "./package_files.ts";
import { run } from "./programs.ts";

/** A copy of the sources, with nothing in it that is not compiled. */
export interface Stage {
  readonly sources: string;
  /** To be `DENO_DIR`. */
  readonly cache: string;
  /** The packages in it by `name@version`, and those of them that the sources import themselves. */
  readonly packages: ReadonlyMap<string, NpmPackage>;
  readonly imported: readonly string[];
}

/** Where the copy's build is written; in the sources it says that nothing was built. */
const BUILD_FILE = "src/cli/build.json";

/**
 * Copies what `entries` need of `repository` into `folder`.
 *
 * Executables hold the times of the files they were made of, whatever lies in the packages, and messages with the paths of
 * files that could not be understood, such as licences without an ending. So the copy holds code alone, all of one time.
 *
 * @throws {Error} If a file or package cannot be found.
 */
export async function stage(
  repository: string,
  { entries, folder, build }: { readonly entries: readonly string[]; readonly folder: string; readonly build: Build },
): Promise<Stage> {
  const sources = `${folder}/sources`;
  const cache = `${folder}/cache`;
  for (const path of [sources, cache]) await Deno.mkdir(path);
  const graph = await moduleGraph(repository, { entries, scratch: folder });
  const lock: LockFile = JSON.parse(await Deno.readTextFile(`${repository}/deno.lock`));
  const packages = packagesFor(lock, graph.packages);
  for (const file of graph.files) await copy(`${repository}/${file}`, `${sources}/${file}`);
  if (graph.files.includes(BUILD_FILE)) await Deno.writeTextFile(`${sources}/${BUILD_FILE}`, JSON.stringify(build));
  const config = JSON.parse(await Deno.readTextFile(`${repository}/deno.json`));
  const imports = Object.entries<string>(config.imports).filter(([, target]) => packages.has(packageOf(target)));
  const cut = { nodeModulesDir: "none", unstable: config.unstable, imports: Object.fromEntries(imports) };
  await Deno.writeTextFile(`${sources}/deno.json`, JSON.stringify(cut));
  await Deno.writeTextFile(`${sources}/deno.lock`, JSON.stringify(cutLock(lock, packages)));
  await copyPackages(packages.values(), cache);
  await setTimes(folder, new Date(build.date));
  return { sources, cache, packages, imported: graph.packages };
}

/** `npm:@scope/name@1.0.0/file.js` is of `@scope/name@1.0.0`. */
function packageOf(target: string): string {
  return /^npm:((?:@[^/]+\/)?[^/]+)/.exec(target)?.[1] ?? "";
}

async function copyPackages(packages: Iterable<NpmPackage>, cache: string): Promise<void> {
  const { npmCache, denoDir } = JSON.parse(await run(Deno.execPath(), ["info", "--json"]));
  // Where Deno fetches base runtimes itself, it need not do so each time.
  await Deno.mkdir(`${denoDir}/dl`, { recursive: true });
  await Deno.symlink(`${denoDir}/dl`, `${cache}/dl`);
  for (const { name, version } of packages) {
    const from = dirname(await folderOf(npmCache, `${name}/${version}`));
    const to = `${cache}/npm${from.slice(npmCache.length)}`;
    await copy(`${from}/registry.json`, `${to}/registry.json`);
    await copyCode(`${from}/${version}`, `${to}/${version}`);
  }
}

async function copyCode(from: string, to: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyCode(`${from}/${name}`, `${to}/${name}`);
    else if (/\.(js|mjs|cjs|json)$/.test(name)) await copy(`${from}/${name}`, `${to}/${name}`);
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.writeFile(to, await Deno.readFile(from), { mode: 0o644 });
}

async function setTimes(folder: string, time: Date): Promise<void> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) await setTimes(`${folder}/${name}`, time);
    if (isDirectory || isFile) await Deno.utime(`${folder}/${name}`, time, time);
  }
}

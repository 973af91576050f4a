import { dirname } from "@std/path";
import type { Build } from "./build.ts";
import { bundle } from "./bundle.ts";
import { type LockFile, type NpmPackage, packagesFor } from "./lock_file.ts";
import { moduleGraph } from "./module_graph.ts";
import { folderOf, type PackageFacts, packageFacts } from "./package_files.ts";
import { WORKERS_FIRST } from "./runtime_flags.ts";

/** A program in few files, with nothing beside them that is not compiled. */
export interface Stage {
  readonly folder: string;
  /** Paths in it. */
  readonly entry: string;
  readonly workers: readonly string[];
  /** The packages in it by `name@version`, and those of them that the sources import themselves. */
  readonly packages: ReadonlyMap<string, NpmPackage & PackageFacts>;
  readonly imported: readonly string[];
}

export interface StageOptions {
  readonly entry: string;
  readonly workers: readonly string[];
  /** Where all is made. */
  readonly scratch: string;
  readonly build: Build;
}

/** Where the copy's build is written; in the sources it says that nothing was built. */
const BUILD_FILE = "src/cli/build.json";

/**
 * Copies what `entry` and `workers` need of `repository`, and bundles the copy.
 *
 * Executables hold the times and names of the files they were made of. So the copy holds code alone, all of one time, at paths
 * that do not depend on where it lies.
 *
 * @throws {Error} If a file or package cannot be found.
 */
export async function stage(repository: string, { entry, workers, scratch, build }: StageOptions): Promise<Stage> {
  const sources = `${scratch}/sources`;
  const folder = `${scratch}/bundle`;
  const cache = `${scratch}/deno`;
  const graph = await moduleGraph(repository, { entries: [entry, ...workers, WORKERS_FIRST], scratch, cache });
  const lock: LockFile = JSON.parse(await Deno.readTextFile(`${repository}/deno.lock`));
  const packages = packagesFor(lock, graph.packages);
  for (const file of graph.files) await copy(`${repository}/${file}`, `${sources}/${file}`);
  if (graph.files.includes(BUILD_FILE)) await Deno.writeTextFile(`${sources}/${BUILD_FILE}`, JSON.stringify(build));
  const npm = { cache: `${cache}/npm`, packages };
  await layOut(npm, `${sources}/node_modules`, graph.packages);
  const config = JSON.parse(await Deno.readTextFile(`${repository}/deno.json`));
  const made = await bundle(sources, {
    entry,
    workers,
    first: WORKERS_FIRST,
    doors: graph.files.filter((file) => file.endsWith("/mod.ts")),
    alias: aliasesOf(config.imports),
    output: folder,
    cache,
  });
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ unstable: config.unstable }));
  await setTimes(folder, new Date(build.date));
  return { folder, ...made, packages: await described(npm), imported: graph.packages };
}

/** `npm:@scope/name@1.0.0/file.js` lies at `@scope/name/file.js`. */
export function aliasesOf(imports: Readonly<Record<string, string>>): Record<string, string> {
  const aliases = Object.entries(imports).flatMap(([name, target]) => {
    const [, scopedName, path = ""] = /^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+(\/.*)?$/.exec(target) ?? [];
    return scopedName === undefined || scopedName + path === name ? [] : [[name, scopedName + path]];
  });
  return Object.fromEntries(aliases);
}

/** Packages, and where Deno keeps them. */
interface CachedPackages {
  readonly cache: string;
  readonly packages: ReadonlyMap<string, NpmPackage>;
}

async function described({ cache, packages }: CachedPackages): Promise<Map<string, NpmPackage & PackageFacts>> {
  const facts = [...packages].map(async ([id, each]) => [id, { ...each, ...await packageFacts(cache, each) }] as const);
  return new Map(await Promise.all(facts));
}

/** Puts packages where bundlers look for them: each finds its own dependencies beside it, in the version that is locked. */
async function layOut(
  { cache, packages }: CachedPackages,
  folder: string,
  imported: readonly string[],
): Promise<void> {
  const home = (id: string) => `${folder}/.store/${id.replace("/", "+")}/node_modules`;
  const link = async (id: string, to: string) => {
    const { name } = packages.get(id)!;
    await Deno.mkdir(dirname(`${to}/${name}`), { recursive: true });
    await Deno.symlink(`${home(id)}/${name}`, `${to}/${name}`);
  };
  for (const [id, { name, version, dependencies }] of packages) {
    await copyCode(await folderOf(cache, `${name}/${version}`), `${home(id)}/${name}`);
    for (const dependency of dependencies) await link(dependency, home(id));
  }
  for (const id of imported) await link(id, folder);
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

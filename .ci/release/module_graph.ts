import { fromFileUrl, relative } from "@std/path";
import { run } from "./programs.ts";

/** What a program is made of. */
export interface ModuleGraph {
  /** Its files, by their paths in the repository. */
  readonly files: readonly string[];
  /** The packages it imports, as `name@version`. */
  readonly packages: readonly string[];
}

interface Info {
  readonly modules: readonly {
    readonly kind?: string;
    readonly specifier: string;
    readonly npmPackage?: string;
    readonly error?: string;
  }[];
}

/**
 * Finds what `entries` import, and fetches the packages among it, into a cache of its own: what Deno downloads it compares with
 * the hashes of the lock file, but not what lies in its usual cache already.
 *
 * @param scratch A folder for what Deno writes; the repository's lock file stays as it is.
 * @param cache An empty folder for the packages.
 * @throws {Error} If something cannot be found, or is not what the lock file says.
 */
export async function moduleGraph(
  repository: string,
  { entries, scratch, cache }: {
    readonly entries: readonly string[];
    readonly scratch: string;
    readonly cache: string;
  },
): Promise<ModuleGraph> {
  const entry = `${scratch}/entry.ts`;
  const lock = `${scratch}/entry.lock`;
  await Deno.writeTextFile(entry, entries.map((path) => `import "file://${repository}/${path}";\n`).join(""));
  await Deno.copyFile(`${repository}/deno.lock`, lock);
  const flags = [`--config=${repository}/deno.json`, `--lock=${lock}`, "--frozen=false"];
  const env = { DENO_DIR: cache };
  await run(Deno.execPath(), ["cache", "--no-check", ...flags, entry], { env });
  const { modules } = JSON.parse(await run(Deno.execPath(), ["info", "--json", ...flags, entry], { env })) as Info;
  for (const { specifier, error } of modules) if (error) throw new Error(`${specifier}: ${error}`);
  const files = modules.map(({ specifier }) => specifier).filter((url) => url.startsWith(`file://${repository}/`))
    .map((url) => relative(repository, fromFileUrl(url)));
  const packages = modules.flatMap(({ npmPackage }) => npmPackage === undefined ? [] : [npmPackage]);
  return { files: files.sort(), packages: [...new Set(packages)].sort() };
}

import { ManifestError } from "../../client/mod.ts";

/**
 * The text of manifests, one document after the other.
 *
 * @param paths Files; directories, whose .yaml, .yml and .json files are read in order of name; `-` for standard input.
 * @throws {ManifestError} Naming what cannot be read.
 */
export async function readManifests(paths: readonly string[]): Promise<string | undefined> {
  if (paths.length === 0) return undefined;
  const texts: string[] = [];
  for (const path of paths) {
    try {
      texts.push(path === "-" ? await new Response(Deno.stdin.readable).text() : await readPath(path));
    } catch (error) {
      throw new ManifestError(`Cannot read the manifest ${JSON.stringify(path)}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return texts.join("\n---\n");
}

async function readPath(path: string): Promise<string> {
  if (!(await Deno.stat(path)).isDirectory) return await Deno.readTextFile(path);
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(path)) {
    if (isFile && /\.(ya?ml|json)$/.test(name)) names.push(name);
  }
  if (names.length === 0) throw new Error("the directory holds no .yaml, .yml or .json file");
  const texts = await Promise.all(names.sort().map((name) => Deno.readTextFile(`${path}/${name}`)));
  return texts.join("\n---\n");
}

import { errorText } from "../../base/mod.ts";
import type { KubeObject } from "../../api/mod.ts";
import { ManifestError, parseManifests } from "../../client/mod.ts";

/** A manifest file and its content. */
export interface ManifestFile {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

/**
 * Reads manifests.
 *
 * @param paths Files; directories, whose .yaml, .yml and .json files are read in order of name; `-` for standard input.
 * @throws {ManifestError} Names the file and, if it is malformed, the line.
 */
export async function readManifests(paths: readonly string[]): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const path of paths) {
    const read = await readTexts(path);
    const parsed = read.map(({ name, text }) => ({ name, objects: parseManifests(text, { file: name }) }));
    if (parsed.every(({ objects }) => objects.length === 0)) {
      throw new ManifestError(`Cannot read the manifest ${JSON.stringify(path)}: it contains no object`);
    }
    files.push(...parsed);
  }
  return files;
}

async function readTexts(path: string): Promise<{ readonly name: string; readonly text: string }[]> {
  try {
    if (path === "-") return [{ name: "standard input", text: await new Response(Deno.stdin.readable).text() }];
    const names = (await Deno.stat(path)).isDirectory ? await manifestsIn(path) : [path];
    return await Promise.all(names.map(async (name) => ({ name, text: await Deno.readTextFile(name) })));
  } catch (error) {
    const why = errorText(error);
    throw new ManifestError(`Cannot read the manifest ${JSON.stringify(path)}: ${why}`, { cause: error });
  }
}

/** Follows links, because a mounted ConfigMap consists of them. */
async function manifestsIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory && /\.(ya?ml|json)$/.test(name)) names.push(`${folder.replace(/(?<!\/)\/+$/, "")}/${name}`);
  }
  if (names.length === 0) throw new Error("the directory holds no .yaml, .yml or .json file");
  return names.sort();
}

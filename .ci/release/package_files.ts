/** What packages say of themselves, for those who get them inside the executable. */
import type { NpmPackage } from "./lock_file.ts";

/** A package's own words. */
export interface PackageFacts {
  /** As its `package.json` has it; empty where it says nothing. */
  readonly license: string;
  readonly author: string;
  /** The text of its licence file; empty where it has none. */
  readonly licenseText: string;
}

/** Reads the facts of `npm` from where Deno keeps it. */
export async function packageFacts(npmCache: string, { name, version }: NpmPackage): Promise<PackageFacts> {
  const folder = await folderOf(npmCache, `${name}/${version}`);
  const { license, author } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  let licenseText = "";
  for await (const entry of Deno.readDir(folder)) {
    if (/^(licen[cs]e|copying)(\.\w+)?$/i.test(entry.name)) {
      licenseText += await Deno.readTextFile(`${folder}/${entry.name}`);
    }
  }
  return {
    license: typeof license === "string" ? license : "",
    author: typeof author === "string" ? author : author?.name ?? "",
    licenseText,
  };
}

/**
 * The folder of a package, `path` being `name/version`, whichever registry it came from.
 *
 * @throws {Error} If Deno does not have it.
 */
export async function folderOf(npmCache: string, path: string): Promise<string> {
  for await (const { name: registry } of Deno.readDir(npmCache)) {
    const folder = `${npmCache}/${registry}/${path}`;
    if (await Deno.stat(folder).then(() => true, () => false)) return folder;
  }
  throw new Error(`${path} is not in ${npmCache}`);
}

/** Programs in Go that tests need besides upstream's: each is built once for its sources, into the folder of the upstream programs. */
import { encodeHex } from "@std/encoding/hex";
import { dirname, fromFileUrl } from "@std/path";
import { assetsFolder } from "./binaries.ts";
import { goBuild } from "./go_build.ts";

const HERE = dirname(fromFileUrl(import.meta.url));

export interface GoProgram {
  /** Its package, a folder beside this file. */
  readonly folder: string;
  /** All files by which it could change, below this file's folder. */
  readonly sources: readonly string[];
  /** What the executable is called; as the folder if absent. */
  readonly name?: string;
  /** Whether the folder is a module of its own; else the module is this file's folder. */
  readonly isModule?: boolean;
}

/**
 * Builds the program unless it is there.
 *
 * @returns Where it is; another place for other sources.
 * @throws {Error} If Go is not installed or the build fails; the message holds the compiler's last lines.
 */
export async function goProgram(
  { folder, sources, name = folder, isModule = false }: GoProgram,
  say: (line: string) => void = () => {},
): Promise<string> {
  const texts = await Promise.all(sources.map((source) => Deno.readTextFile(`${HERE}/${source}`)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0")));
  const path = `${await assetsFolder()}/${folder}-${encodeHex(digest).slice(0, 12)}/${name}`;
  if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
  say(`building ${folder}`);
  await Deno.mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.unfinished.${Deno.pid}`;
  await goBuild({
    cwd: isModule ? `${HERE}/${folder}` : HERE,
    packages: [isModule ? "." : `./${folder}`],
    output: unfinished,
    env: isModule ? {} : { GOFLAGS: "-mod=mod" },
  });
  await Deno.rename(unfinished, path);
  return path;
}

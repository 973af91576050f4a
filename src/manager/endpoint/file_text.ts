import type { World } from "../../base/mod.ts";

/**
 * Reads a file that a flag names.
 *
 * @throws {Error} With path and reason, as Go's `os.Open` puts it.
 */
export async function fileText({ files }: Pick<World, "files">, path: string): Promise<string> {
  try {
    return await files.readText(path);
  } catch (error) {
    throw new Error(`open ${path}: ${reasonOf(error as Error)}`, { cause: error });
  }
}

function reasonOf(error: Error): string {
  if (error instanceof Deno.errors.NotFound) return "no such file or directory";
  return error instanceof Deno.errors.PermissionDenied ? "permission denied" : error.message;
}

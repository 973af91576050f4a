import type { World } from "../../base/mod.ts";

/**
 * Reads a file that a flag names.
 *
 * @throws {Error} With path and reason, in the format of Go's `os.Open`.
 */
export async function fileText({ files }: Pick<World, "files">, path: string): Promise<string> {
  try {
    return await files.readText(path);
  } catch (error) {
    throw new Error(`open ${path}: ${osReason(error as Error)}`, { cause: error });
  }
}

/** Why a file cannot be read, in Go's words and without the path. */
export function osReason(error: Error): string {
  if (error instanceof Deno.errors.NotFound) return "no such file or directory";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.IsADirectory) return "is a directory";
  return error.message;
}

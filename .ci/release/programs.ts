/** Programs that a release is made with. */

const decoder = new TextDecoder();

/**
 * Runs a program to its end.
 *
 * @returns What it printed to standard output.
 * @throws {Error} If it fails, with what it said.
 */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  if (!success) {
    throw new Error(`${program} ${args[0]} failed in ${cwd ?? "."}: ${decoder.decode(stderr).trim().slice(-3000)}`);
  }
  return decoder.decode(stdout);
}

/** SHA-256 of `bytes`, in hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

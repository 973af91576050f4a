import process from "node:process";

/**
 * The name under which this process was started. A symlink's own name is wanted, which `Deno.execPath` has resolved away; what
 * Linux keeps of it in `/proc` may be read with all permissions only.
 */
export function invokedAs(): string {
  return process.argv0;
}

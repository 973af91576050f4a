import process from "node:process";

/**
 * The name under which this process was started. If that is a symlink, its own name counts. `Deno.execPath` has already
 * resolved it, and reading it from Linux's `/proc` requires all permissions.
 */
export function invokedAs(): string {
  return process.argv0;
}

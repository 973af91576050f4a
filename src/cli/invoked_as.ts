/**
 * The name under which this process was started. A symlink's own name is wanted, which `Deno.execPath` has resolved away; Linux
 * keeps it as the first of the process's arguments.
 */
export function invokedAs(): string {
  try {
    return Deno.readTextFileSync("/proc/self/cmdline").split("\0")[0];
  } catch {
    return Deno.execPath();
  }
}

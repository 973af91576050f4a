import type { World } from "../base/mod.ts";

/** Resolves with the exit code once the controllers have ended; never rejects. */
export async function exitCodeOf(
  running: Promise<boolean>,
  { log }: Pick<World, "log">,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await running ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return 0;
    log.error("Controllers cannot run", { err: error });
    return 1;
  }
}

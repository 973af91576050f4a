// deno-lint-ignore-file no-console -- it is there to print
/** Import it before a group's code, which takes `process` away. */
import process from "node:process";

/** Shorter pauses are not told. */
const TOLD_MS = 40;
const EVERY_MS = 5;
const { threadCpuUsage } = process as unknown as { threadCpuUsage(): { user: number; system: number } };

function cpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Prints a line on standard error whenever this thread's event loop did not turn for a while: what the thread computed
 * meanwhile, which the system tells in steps of 10 ms, and the time on the wall, in which others may have had the processor.
 */
export function tellPauses(thread: string): void {
  let [lastMs, lastCpuMs] = [performance.now(), cpuMs()];
  setInterval(() => {
    const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
    const [wallMs, computedMs] = [nowMs - lastMs - EVERY_MS, nowCpuMs - lastCpuMs];
    if (wallMs > TOLD_MS) console.error(`pause of ${thread}: ${wallMs.toFixed(0)} ms, computed ${computedMs} ms`);
    [lastMs, lastCpuMs] = [nowMs, nowCpuMs];
  }, EVERY_MS);
}

/** A thread's longest pauses. */
export interface LongestPause {
  readonly wallMs: number;
  readonly computedMs: number;
}

/** What {@link tellPauses} printed, by thread. */
export function pausesIn(output: string): ReadonlyMap<string, LongestPause> {
  const longest = new Map<string, LongestPause>();
  for (const [, thread, wall, computed] of output.matchAll(/^pause of (.*): (\d+) ms, computed (\d+) ms$/gm)) {
    const { wallMs, computedMs } = longest.get(thread) ?? { wallMs: 0, computedMs: 0 };
    longest.set(thread, {
      wallMs: Math.max(wallMs, Number(wall)),
      computedMs: Math.max(computedMs, Number(computed)),
    });
  }
  return longest;
}

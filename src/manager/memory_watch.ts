import { sleep, type World } from "../base/mod.ts";
import type { Health } from "./health.ts";

const LOOK_MS = 500;
/** The system kills a process at its limit without warning. */
const CEILING_SHARE = 0.85;
/** A restarted thread lists everything again, which takes time, and memory until garbage is collected. */
const RELIEF_MS = 10_000;
const MIB = 2 ** 20;
/** Pages of the executable's file count as the process's, until memory is short and the kernel takes them back. */
const CODE_BYTES = 40 * MIB;
/** At most so much of the limit is taken for such pages: they may be gone already. */
const CODE_SHARE = 0.05;
/** Memory of an idle process besides that, and of each pod when there are many; measured, and rounded up. */
const IDLE_BYTES = 50 * MIB;
const POD_BYTES = 4096;

/** What {@link watchMemory} needs. */
export interface MemoryWatchOptions {
  /** How much memory the process may use; 0 for no limit. */
  readonly limitBytes: number;
  /** How much of its memory is resident. */
  residentBytes(): number;
  readonly health: Health;
  /** Frees memory, for this reason; answers `false` if nothing can be freed. */
  relieve(reason: string): boolean;
  readonly signal: AbortSignal;
}

/**
 * Keeps a process below the memory that it may use, by refusing work before the system ends the process. Resolves when
 * `signal` aborts.
 *
 * Contract:
 * 1. At the start a line says the limit, the ceiling of 85 % of it, and about how many pods fit below that.
 * 2. Above the ceiling, not counting pages of code, memory is relieved, at most once in ten seconds; every reason names
 *    the ceiling.
 * 3. Above the ceiling the check `memory` is not ready.
 * 4. Without a limit nothing is measured.
 */
export async function watchMemory(
  { clock, log }: Pick<World, "clock" | "log">,
  { limitBytes, residentBytes, health, relieve, signal }: MemoryWatchOptions,
): Promise<void> {
  if (limitBytes === 0) return;
  const ceilingBytes = limitBytes * CEILING_SHARE;
  const codeBytes = Math.min(CODE_BYTES, limitBytes * CODE_SHARE);
  const pods = Math.max(0, Math.floor((ceilingBytes - IDLE_BYTES) / POD_BYTES / 1000) * 1000);
  const fields = { limitMiB: mib(limitBytes), ceilingMiB: mib(ceilingBytes), pods };
  if (pods > 0) log.info("Memory is limited; about so many pods fit below the ceiling", fields);
  else log.warn("Memory is limited to less than a process with controllers needs", fields);
  let reason: string | undefined;
  health.add({ name: "memory", run: () => undefined, isNotReady: () => reason });
  let reliefMs = -Infinity;
  do {
    const bytes = residentBytes() - codeBytes;
    const isAbove = bytes > ceilingBytes;
    reason = isAbove
      ? `the process uses ${mib(bytes)} MiB, and its ceiling is ${mib(ceilingBytes)} of --memory-limit's ${
        mib(limitBytes)
      } MiB`
      : undefined;
    const nowMs = clock.monotonicMs();
    if (reason === undefined || nowMs - reliefMs < RELIEF_MS) continue;
    reliefMs = nowMs;
    if (!relieve(reason)) log.error("Memory is above its ceiling, and nothing can be freed", { reason });
  } while (await sleep(clock, LOOK_MS, signal));
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB);
}

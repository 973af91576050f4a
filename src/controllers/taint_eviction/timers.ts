import type { Clock, Timer } from "../../base/mod.ts";
import type { WakingTime } from "../nodes/mod.ts";

/**
 * The most concurrent evictions; a node may have thousands of pods. Upstream has no limit, but its client sends 20
 * requests a second.
 */
const PARALLEL = 64;

/** A pod to evict. */
export interface Eviction {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string | undefined;
  /** Why, for the journal. */
  readonly cause: string;
}

/** A scheduled eviction. */
interface Entry extends Eviction {
  /** By the monotonic clock. */
  readonly dueMs: number;
  state: "waiting" | "running";
  timer?: Timer;
}

/** The options of {@link EvictionTimers}. */
export interface EvictionTimersOptions {
  readonly clock: Clock;
  readonly time: WakingTime;
  /** Evicts a pod that was due at this monotonic time; never rejects. */
  readonly evict: (eviction: Eviction, dueMs: number) => Promise<void>;
}

/**
 * Evictions of pods, now or later.
 *
 * Contract:
 * 1. A pod is evicted when its time has come, never before; another start meanwhile neither hastens nor delays it.
 * 2. An eviction that was cancelled before it began does not happen; one that has begun goes on, and the pod may be
 *    evicted again.
 * 3. No more than 64 evictions are under way; the others wait in the order in which they became due.
 * 4. None begins within five seconds after this process was suspended: events in the meantime may call it off.
 * 5. After the end nothing is begun, no timer is left, and what was under way has ended.
 *
 * Upstream: `pkg/controller/tainteviction/timed_workers.go`.
 */
export class EvictionTimers {
  readonly #options: EvictionTimersOptions;
  readonly #entries = new Map<string, Entry>();
  /** Due, and waiting for their turn. */
  readonly #due = new Set<Entry>();
  readonly #running = new Set<Promise<void>>();
  #hasEnded = false;

  constructor(options: EvictionTimersOptions) {
    this.#options = options;
  }

  /** Pods whose eviction is scheduled or under way. */
  get size(): number {
    return this.#entries.size;
  }

  /** Schedules a pod's eviction in `afterMs` milliseconds, unless one is already scheduled. */
  start(eviction: Eviction, afterMs: number): void {
    if (this.#hasEnded || this.#entries.has(eviction.key)) return;
    const { clock } = this.#options;
    const entry: Entry = { ...eviction, dueMs: clock.monotonicMs() + afterMs, state: "waiting" };
    this.#entries.set(entry.key, entry);
    if (afterMs > 0) this.#wait(entry, afterMs);
    else this.#begin(entry, clock.monotonicMs());
  }

  /** Whether an eviction is scheduled for an earlier pod of this name. */
  isForAnother({ key, uid }: Pick<Eviction, "key" | "uid">): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.uid !== uid;
  }

  /** @returns Whether an eviction was cancelled before it began. */
  cancel(key: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    entry.timer?.cancel();
    this.#due.delete(entry);
    this.#entries.delete(key);
    return entry.state === "waiting";
  }

  /** Ends everything; resolves when no eviction is under way. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    for (const { timer } of this.#entries.values()) timer?.cancel();
    this.#due.clear();
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#entries.clear();
  }

  #wait(entry: Entry, ms: number): void {
    const { clock } = this.#options;
    const plannedMs = clock.monotonicMs() + ms;
    entry.timer = clock.setTimer(ms, () => this.#begin(entry, plannedMs));
  }

  #begin(entry: Entry, plannedMs: number): void {
    const settlingMs = this.#options.time.settlingMs(plannedMs);
    if (settlingMs > 0) return this.#wait(entry, settlingMs);
    this.#due.add(entry);
    this.#next();
  }

  #next(): void {
    for (const entry of this.#due) {
      if (this.#running.size >= PARALLEL) return;
      this.#due.delete(entry);
      entry.state = "running";
      const running: Promise<void> = this.#options.evict(entry, entry.dueMs).finally(() => {
        this.#running.delete(running);
        if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
        this.#next();
      });
      this.#running.add(running);
    }
  }
}

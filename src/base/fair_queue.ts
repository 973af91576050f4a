import type { Clock, Timer } from "./clock.ts";

/** Options of {@link FairQueue}. */
export interface FairQueueOptions {
  readonly clock: Clock;
  /** How many tasks start per second, and how many may start at once after a pause. */
  readonly perSecond: number;
  readonly burst: number;
  /** How many tasks may run; no limit if absent. One source gets at most half of them. */
  readonly mostRunning?: number;
  /** How many tasks may wait or run, of all sources and of one. */
  readonly mostHeld: number;
  readonly mostHeldOfOne: number;
}

/** A task was refused because the queue holds too many. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

interface Task {
  readonly begin: () => Promise<void>;
  readonly refuse: (error: QueueFullError) => void;
  readonly isWanted: () => boolean;
}

/**
 * Starts tasks at a limited rate and gives every source its turn, so that a source that sends many delays only itself.
 *
 * Contract:
 * 1. Sources take turns: a task at the head of its source waits for at most one task of every other source.
 * 2. `burst` tasks begin at once; after that `perSecond` begin in a second.
 * 3. At most `mostRunning` tasks are under way, and of one source at most half of them.
 * 4. At most `mostHeldOfOne` tasks of one source are held: another one is refused with {@link QueueFullError}.
 * 5. At most `mostHeld` tasks are held: then the newest waiting task of the source that holds most is refused, or the
 *    new task itself if its source holds as many.
 * 6. A task that nobody wants any more when its turn comes is dropped, and takes no place in the rate.
 *
 * @example
 * ```ts
 * import { FairQueue, FakeClock } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const queue = new FairQueue({ clock, perSecond: 1, burst: 1, mostHeld: 10, mostHeldOfOne: 5 });
 * const order: string[] = [];
 * for (const source of ["a", "a", "a", "b"]) {
 *   void queue.run(source, () => Promise.resolve(order.push(source)));
 * }
 * await clock.advance(1000);
 * assertEquals([order, queue.held], [["a", "a"], 2]);
 * await clock.advance(1000);
 * assertEquals(order, ["a", "a", "b"]);
 * await clock.advance(1000);
 * ```
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Waiting tasks by source, the source whose turn is next first. */
  readonly #waiting = new Map<string, Task[]>();
  readonly #running = new Map<string, number>();
  #runningCount = 0;
  #waitingCount = 0;
  #refused = 0;
  #tokens: number;
  #filledMs: number;
  #timer: Timer | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledMs = options.clock.monotonicMs();
  }

  /** The number of waiting and running tasks. */
  get held(): number {
    return this.#waitingCount + this.#runningCount;
  }

  /** Tasks refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Starts `task` when its turn comes.
   *
   * @param options.isWanted Called when the turn comes; a dropped task never settles.
   * @throws {QueueFullError} By sentences 4 and 5 of the contract.
   */
  run<T>(
    source: string,
    task: () => Promise<T>,
    { isWanted = () => true }: { readonly isWanted?: () => boolean } = {},
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = () => Promise.try(task).then(resolve, reject);
    if (!this.#makesRoomFor(source)) {
      reject(this.#refusal());
      return promise;
    }
    const tasks = this.#waiting.get(source);
    const entry = { begin, refuse: reject, isWanted };
    if (tasks) tasks.push(entry);
    else this.#waiting.set(source, [entry]);
    this.#waitingCount++;
    this.#beginDue();
    return promise;
  }

  /** Drops waiting tasks, which then never settle. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.clear();
    this.#waitingCount = 0;
  }

  #makesRoomFor(source: string): boolean {
    if (this.#hasRoomFor(source)) return true;
    this.#dropUnwanted();
    if (this.#hasRoomFor(source)) return true;
    const own = this.#heldOf(source);
    if (own >= this.#options.mostHeldOfOne) return false;
    let greediest = source;
    let most = own;
    for (const other of this.#waiting.keys()) {
      const held = this.#heldOf(other);
      if (held > most) [greediest, most] = [other, held];
    }
    if (greediest === source) return false;
    const tasks = this.#waiting.get(greediest)!;
    tasks.pop()!.refuse(this.#refusal());
    if (tasks.length === 0) this.#waiting.delete(greediest);
    this.#waitingCount--;
    return true;
  }

  #hasRoomFor(source: string): boolean {
    const { mostHeld, mostHeldOfOne } = this.#options;
    return this.held < mostHeld && this.#heldOf(source) < mostHeldOfOne;
  }

  #dropUnwanted(): void {
    for (const [source, tasks] of this.#waiting) {
      const wanted = tasks.filter(({ isWanted }) => isWanted());
      this.#waitingCount -= tasks.length - wanted.length;
      if (wanted.length > 0) this.#waiting.set(source, wanted);
      else this.#waiting.delete(source);
    }
  }

  #refusal(): QueueFullError {
    this.#refused++;
    return new QueueFullError("too many requests are waiting, please try again later");
  }

  #heldOf(source: string): number {
    return (this.#waiting.get(source)?.length ?? 0) + (this.#running.get(source) ?? 0);
  }

  /** Starts tasks that may start, and sets a timer for those that only wait for the rate. */
  #beginDue(): void {
    if (this.#timer) return;
    const { clock, perSecond, burst, mostRunning = Infinity } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + (nowMs - this.#filledMs) * perSecond / 1000);
    this.#filledMs = nowMs;
    while (this.#waitingCount > 0 && this.#runningCount < mostRunning) {
      if (this.#tokens < 1) {
        this.#timer = clock.setTimer(Math.ceil((1 - this.#tokens) * 1000 / perSecond), () => {
          this.#timer = undefined;
          this.#beginDue();
        });
        return;
      }
      if (!this.#beginNext(Math.ceil(mostRunning / 2))) return;
    }
  }

  /** @returns Whether a source that is below its share had a task. */
  #beginNext(mostOfOne: number): boolean {
    for (const [source, tasks] of this.#waiting) {
      const running = this.#running.get(source) ?? 0;
      if (running >= mostOfOne) continue;
      const task = tasks.shift()!;
      this.#waiting.delete(source);
      if (tasks.length > 0) this.#waiting.set(source, tasks);
      this.#waitingCount--;
      if (task.isWanted()) this.#begin(source, task);
      return true;
    }
    return false;
  }

  #begin(source: string, task: Task): void {
    this.#tokens--;
    this.#runningCount++;
    this.#running.set(source, (this.#running.get(source) ?? 0) + 1);
    void task.begin().finally(() => {
      this.#runningCount--;
      const left = this.#running.get(source)! - 1;
      if (left > 0) this.#running.set(source, left);
      else this.#running.delete(source);
      this.#beginDue();
    });
  }
}

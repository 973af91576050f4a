import { activities } from "../client/mod.ts";
import { BaseQueue } from "./base_queue.ts";
import { type Cause, Causes } from "./causes.ts";
import { HeadTimer } from "./head_timer.ts";
import { WithdrawableHeap } from "./withdrawable_heap.ts";

interface Waiting<K> {
  readonly key: K;
  readonly readyAtMs: number;
  readonly order: number;
  readonly causes: Causes;
  withdrawn: boolean;
}

/**
 * A queue to which a key can be added later.
 *
 * Contract, beyond that of {@link BaseQueue}:
 * 1. A delayed key is added when its time has come, in order of the times, and never earlier.
 * 2. A key that waits already keeps the earlier of both times, and waits only once.
 * 3. An `add` does not cancel a delay: the key is added again when its time has come.
 * 4. A delay of zero or less adds at once.
 * 5. Delayed keys are dropped at shutdown.
 * 6. A cause that is {@link Due} later than its key is added does not count.
 * 7. One timer runs, for the key that is due first; none when nothing waits.
 * 8. A key that is withdrawn waits no more; one that was added already stays added.
 *
 * Upstream: `k8s.io/client-go/util/workqueue/delaying_queue.go`.
 */
export class DelayingQueue<K = string> extends BaseQueue<K> {
  readonly #waiting = new Map<K, Waiting<K>>();
  readonly #heap = new WithdrawableHeap<Waiting<K>>((a, b) => a.readyAtMs - b.readyAtMs || a.order - b.order);
  readonly #timer = new HeadTimer(this.clock, () => this.#wake());
  #order = 0;

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#waiting.size;
  }

  /** Adds `key` after `delayMs`. */
  addAfter(key: K, delayMs: number, cause?: Cause): void {
    if (this.isShuttingDown) return;
    this.metrics.retried();
    activities.current?.putOff(key, Math.max(0, delayMs));
    if (!(delayMs > 0)) return this.add(key, cause);
    const readyAtMs = this.clock.monotonicMs() + delayMs;
    const earlier = this.#waiting.get(key);
    const causes = earlier?.causes ?? new Causes();
    if (cause !== undefined) causes.add(cause, readyAtMs);
    if (earlier && earlier.readyAtMs <= readyAtMs) return;
    if (earlier) this.#heap.withdraw(earlier);
    const entry = { key, readyAtMs, order: this.#order++, causes, withdrawn: false };
    this.#waiting.set(key, entry);
    this.#heap.push(entry);
    this.#timer.arm(this.#heap.peek()?.readyAtMs);
  }

  /** Calls off the delay of `key`, if it waits. */
  withdraw(key: K): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    this.#heap.withdraw(waiting);
    if (this.#waiting.size === 0) this.#timer.cancel();
  }

  override shutDown(): void {
    this.#dropDelayed();
    super.shutDown();
  }

  override shutDownWithDrain(): Promise<void> {
    this.#dropDelayed();
    return super.shutDownWithDrain();
  }

  #wake(): void {
    const nowMs = this.clock.monotonicMs();
    for (let first = this.#heap.peek(); first && first.readyAtMs <= nowMs; first = this.#heap.peek()) {
      this.#heap.pop();
      this.#waiting.delete(first.key);
      first.causes.ripen(nowMs);
      this.addWithCauses(first.key, first.causes);
    }
    this.#timer.arm(this.#heap.peek()?.readyAtMs);
  }

  #dropDelayed(): void {
    this.#timer.cancel();
    this.#waiting.clear();
    while (this.#heap.pop());
  }
}

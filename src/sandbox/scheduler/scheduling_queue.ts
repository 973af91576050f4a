import { Deferred, Heap, type Timer, type World } from "../../base/mod.ts";
import type { PodInfo } from "./pod_info.ts";

/** A pod that waits to be scheduled. */
interface Queued {
  pod: PodInfo;
  /** Whoever came first is first, among pods of one priority. */
  readonly order: number;
  attempts: number;
  /** Not tried again before this. */
  retryMs: number;
  state: "active" | "backing-off" | "unschedulable" | "in-hand";
  /** Whether something changed while it was being tried. */
  isStale: boolean;
}

const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 10_000;

/**
 * Pods that wait for a node.
 *
 * Contract:
 * 1. `pop` gives the pod of the highest priority, among equals the one that came first.
 * 2. A pod for which there was no node waits until something changes that may help it, and at least for its back-off:
 *    one second, doubling to ten.
 * 3. What changes while a pod is being tried counts too.
 * 4. A pod that is removed is not given out any more.
 *
 * Upstream: `pkg/scheduler/backend/queue` (PriorityQueue).
 */
export class SchedulingQueue {
  readonly #world: Pick<World, "clock">;
  readonly #pods = new Map<string, Queued>();
  readonly #active = new Heap<Queued>((a, b) => b.pod.priority - a.pod.priority || a.order - b.order);
  /** Pods that something may help, but whose back-off is not over. */
  readonly #backingOff = new Heap<Queued>((a, b) => a.retryMs - b.retryMs);
  #timer: Timer | undefined;
  #waiter: Deferred | undefined;
  #order = 0;

  constructor(world: Pick<World, "clock">) {
    this.#world = world;
  }

  /** A pod is new or has changed: it is tried as soon as its back-off allows. */
  put(pod: PodInfo): void {
    const before = this.#pods.get(pod.uid);
    if (!before) {
      const queued: Queued = { pod, order: this.#order++, attempts: 0, retryMs: 0, state: "active", isStale: false };
      this.#pods.set(pod.uid, queued);
      return this.#activate(queued);
    }
    before.pod = pod;
    this.#retry(before);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
    if (this.#pods.size === 0) this.#disarm();
  }

  /**
   * Something changed that may help those pods for which there was no node and which `concerns` picks; all by default.
   */
  retryAll(concerns: (pod: PodInfo) => boolean = () => true): void {
    for (const queued of this.#pods.values()) if (concerns(queued.pod)) this.#retry(queued);
  }

  /** The next pod to try, or `undefined` if there is none now. */
  pop(): PodInfo | undefined {
    for (;;) {
      const queued = this.#active.pop();
      if (!queued) return undefined;
      if (this.#pods.get(queued.pod.uid) !== queued || queued.state !== "active") continue;
      queued.state = "in-hand";
      queued.isStale = false;
      queued.attempts++;
      return queued.pod;
    }
  }

  /** Whether a pod that was given out still waits for a node. */
  isInHand(uid: string): boolean {
    return this.#pods.get(uid)?.state === "in-hand";
  }

  /** There was no node for a pod that was given out, or it could not be bound. */
  giveBack(uid: string, { isUnschedulable }: { readonly isUnschedulable: boolean }): void {
    const queued = this.#pods.get(uid);
    if (!queued) return;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (queued.attempts - 1), LONGEST_BACKOFF_MS);
    queued.retryMs = this.#world.clock.monotonicMs() + backoffMs;
    queued.state = "unschedulable";
    if (queued.isStale || !isUnschedulable) this.#retry(queued);
  }

  /** Resolves when there may be something to pop. */
  whenReady(): Promise<void> {
    if (this.#active.length > 0) return Promise.resolve();
    this.#waiter ??= new Deferred();
    return this.#waiter.promise;
  }

  /** Releases all waiting callers and timers. */
  close(): void {
    this.#pods.clear();
    this.#disarm();
    this.#waiter?.resolve();
  }

  #retry(queued: Queued): void {
    if (queued.state === "in-hand") queued.isStale = true;
    if (queued.state !== "unschedulable") return;
    if (queued.retryMs <= this.#world.clock.monotonicMs()) return this.#activate(queued);
    queued.state = "backing-off";
    this.#backingOff.push(queued);
    this.#arm();
  }

  /** One timer for all, so that of those whose back-off ends together the first in order is tried first. */
  #arm(): void {
    this.#disarm();
    const next = this.#backingOff.peek();
    if (!next) return;
    this.#timer = this.#world.clock.setTimer(next.retryMs - this.#world.clock.monotonicMs(), () => this.#wakeUp());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wakeUp(): void {
    const nowMs = this.#world.clock.monotonicMs();
    for (let next = this.#backingOff.peek(); next && next.retryMs <= nowMs; next = this.#backingOff.peek()) {
      this.#backingOff.pop();
      if (next.state === "backing-off" && this.#pods.get(next.pod.uid) === next) this.#activate(next);
    }
    this.#arm();
  }

  #activate(queued: Queued): void {
    queued.state = "active";
    this.#active.push(queued);
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }
}

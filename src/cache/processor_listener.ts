import type { KubeObject } from "../api/mod.ts";
import { Deferred, RingBuffer, type TurnBudget, type World } from "../base/mod.ts";
import type { EventHandler } from "./event_handler.ts";
import type { ListenerMetrics } from "./informer_metrics.ts";
import { type Notification, notificationKey, notify } from "./notification.ts";
import type { ResyncSchedule } from "./resync_schedule.ts";

/** A handler call is logged if it took this long, in milliseconds, with more than 1024 notifications waiting. */
const SLOW_CALL_MS = 100;
const SLOW_CALL_DEPTH = 1024;

/** Options of {@link ProcessorListener}. */
export interface ProcessorListenerOptions<T> {
  readonly world: World;
  readonly handler: EventHandler<T>;
  /** For the log. */
  readonly name: string;
  readonly resync: ResyncSchedule;
  readonly metrics: ListenerMetrics;
  /** Shared with the other listeners of the informer. */
  readonly budget: TurnBudget;
}

/**
 * Stands between a cache and one event handler.
 *
 * Contract:
 * 1. A push never blocks, never refuses, and never calls the handler itself.
 * 2. The handler gets the notifications one at a time, in the order in which they were pushed.
 * 3. A slow handler delays only itself; notifications pile up in front of it, and their number is a metric.
 * 4. A handler that throws is logged and counted; that notification is lost, and the next one is delivered without a
 *    pause.
 * 5. It has caught up with the initial list once every notification of it that was pushed has been delivered.
 * 6. After stop the handler is not called again once its current call ends; what is pending is dropped.
 * 7. Deliveries give the event loop its turn after a few milliseconds of work.
 *
 * Upstream: `k8s.io/client-go/tools/cache/shared_informer.go` (processorListener). There, a handler that panics on the
 * initial list leaves its registration unsynced for ever; here that notification counts as delivered. There, the
 * listener also sleeps for a second after a panic: whoever owns objects that a handler fails on could hold back
 * everybody else's.
 */
export class ProcessorListener<T extends KubeObject> {
  readonly name: string;
  readonly resync: ResyncSchedule;
  readonly #world: World;
  readonly #handler: EventHandler<T>;
  readonly #metrics: ListenerMetrics;
  readonly #budget: TurnBudget;
  #pending = new RingBuffer<Notification<T>>();
  readonly #abort = new AbortController();
  /** Notifications of the initial list pushed and not delivered. */
  #initialPending = 0;
  #initialDelivered: Deferred | undefined;
  #delivery: Promise<void> | undefined;

  constructor(options: ProcessorListenerOptions<T>) {
    this.name = options.name;
    this.resync = options.resync;
    this.#world = options.world;
    this.#handler = options.handler;
    this.#metrics = options.metrics;
    this.#budget = options.budget;
    this.#metrics.trackDepth(() => this.depth);
  }

  /** Notifications waiting. */
  get depth(): number {
    return this.#pending.length;
  }

  /** Whether no notification of the initial list is waiting or being delivered. */
  get hasDeliveredInitialList(): boolean {
    return this.#initialPending === 0;
  }

  push(notification: Notification<T>): void {
    if (this.#stopped) return;
    this.#pending.push(notification);
    if (notification.kind === "add" && notification.isInInitialList) this.#initialPending++;
    this.#delivery ??= this.#deliver();
  }

  /** Resolves once {@link ProcessorListener.hasDeliveredInitialList}. */
  whenInitialListDelivered(): Promise<void> {
    if (this.hasDeliveredInitialList) return Promise.resolve();
    this.#initialDelivered ??= new Deferred();
    return this.#initialDelivered.promise;
  }

  /** Drops what is pending; resolves when the current handler call, if any, has ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#pending = new RingBuffer(); // the old buffer may have grown large
    this.#metrics.stop();
    await this.#delivery;
  }

  get #stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async #deliver(): Promise<void> {
    await undefined; // contract 1: not on the pusher's stack
    const { clock } = this.#world;
    let startMs = clock.monotonicMs();
    while (!this.#stopped) {
      const notification = this.#pending.shift();
      if (!notification) break;
      try {
        const returned = notify(this.#handler, notification);
        if (returned instanceof Promise) await returned;
      } catch (error) {
        this.#report(notification, error);
      }
      const endMs = clock.monotonicMs(); // once for each notification: of many small ones this is a large part
      this.#delivered(notification, endMs - startMs);
      startMs = endMs;
      if (this.#pending.length === 0 || !this.#budget.spentAt(endMs)) continue;
      await this.#budget.nextTurn();
      startMs = clock.monotonicMs();
    }
    this.#delivery = undefined;
  }

  #delivered(notification: Notification<T>, tookMs: number): void {
    if (notification.kind === "add" && notification.isInInitialList && --this.#initialPending === 0) {
      this.#initialDelivered?.resolve();
    }
    if (this.#pending.length <= SLOW_CALL_DEPTH || tookMs <= SLOW_CALL_MS) return;
    this.#world.log.info("Event handler is slow", {
      handler: this.name,
      notification: notification.kind,
      tookMs: Math.round(tookMs),
      pending: this.#pending.length,
    });
  }

  #report(notification: Notification<T>, err: unknown): void {
    this.#metrics.handlerFailed();
    this.#world.log.error("Event handler failed; the notification is lost", {
      handler: this.name,
      notification: notification.kind,
      key: notificationKey(notification),
      err,
    });
  }
}

import type { Clock } from "../../base/mod.ts";
import { type BinderMetrics, NOT_AVAILABLE } from "./metrics.ts";

interface Open {
  readonly plugin: string;
  readonly operation: "provision" | "delete";
  readonly sinceMs: number;
}

/**
 * How long it takes until a claim has its volume, or a volume is gone, over all attempts.
 *
 * Contract:
 * 1. The time is counted from the first attempt to the success, once.
 * 2. Failures are counted only while an operation is open.
 *
 * Upstream: `pkg/controller/volume/persistentvolume/metrics` (OperationStartTimeCache).
 */
export class OperationTimes {
  readonly #clock: Clock;
  readonly #metrics: Pick<BinderMetrics, "errors" | "totalSeconds">;
  /** By the keys of claims and the names of volumes, which have no slash in them. */
  readonly #open = new Map<string, Open>();

  constructor(clock: Clock, metrics: Pick<BinderMetrics, "errors" | "totalSeconds">) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** An attempt begins. */
  begin(key: string, operation: Open["operation"], plugin: () => string): void {
    if (this.#open.has(key)) return;
    this.#open.set(key, { plugin: plugin() || NOT_AVAILABLE, operation, sinceMs: this.#clock.monotonicMs() });
  }

  failed(key: string): void {
    const open = this.#open.get(key);
    if (open) { for (const counter of this.#metrics.errors) counter.inc([open.plugin, open.operation]); }
  }

  succeeded(key: string): void {
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    const seconds = (this.#clock.monotonicMs() - open.sinceMs) / 1000;
    this.#metrics.totalSeconds.observe(seconds, [open.plugin, open.operation]);
  }

  /** Nobody waits for it any more. */
  drop(key: string): void {
    this.#open.delete(key);
  }
}

import { objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { RateLimiter } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { Autoscaler, AutoscalerContext } from "./context.ts";

const KIND = "horizontalpodautoscaler";

/** Every event of an autoscaler queues it after a sync period. New ones are registered at once. */
export function autoscalerHandler(
  { queue, selectors }: Pick<AutoscalerContext, "queue" | "selectors">,
): EventHandler<Autoscaler> {
  const onChange = (autoscaler: Autoscaler, what: Change) => {
    const key = objectKey(autoscaler);
    queue.addRateLimited(key, cause(KIND, autoscaler, what));
    selectors.register(key);
  };
  return {
    onAdd: (autoscaler) => onChange(autoscaler, "added"),
    onUpdate: (before, autoscaler) => onChange(autoscaler, changeOf(before, autoscaler)),
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.forget(key);
      selectors.delete(key);
    },
  };
}

/** Delays every key equally, whether it failed or not. Upstream: `pkg/controller/podautoscaler/rate_limiters.go`. */
export class IntervalLimiter implements RateLimiter {
  readonly #intervalMs: number;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  when(): number {
    return this.#intervalMs;
  }

  forget(): void {}

  numRequeues(): number {
    return 1;
  }
}

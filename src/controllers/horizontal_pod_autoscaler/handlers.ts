import { objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { RateLimiter } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { Autoscaler, AutoscalerContext } from "./context.ts";

const KIND = "horizontalpodautoscaler";

/** Whatever happens to an autoscaler, it is looked at after a sync period; it is known from its first day on. */
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

/** Lets every key wait equally long, whether it failed or not. Upstream: `pkg/controller/podautoscaler/rate_limiters.go`. */
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

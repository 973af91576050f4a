import { objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
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

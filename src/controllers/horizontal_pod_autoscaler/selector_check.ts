import { TurnBudget } from "../../base/mod.ts";
import { objectKey, parseLabelSelector, type Selector } from "../../api/mod.ts";
import type { Autoscaler, AutoscalerContext } from "./context.ts";
import type { StatusDraft } from "./status_draft.ts";

/**
 * The selector of the target's pods, which no other autoscaler may scale too.
 *
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (validateAndParseSelector).
 *
 * @param text As a scale says it, so that it can be read.
 * @throws {Error} If there is none, or another autoscaler scales some of the pods; event and condition say so.
 */
export async function checkSelector(
  autoscaler: Autoscaler,
  text: string,
  { world, draft, recorder, selectors, pods }: Pick<AutoscalerContext, "world" | "recorder" | "selectors" | "pods"> & {
    readonly draft: StatusDraft;
  },
): Promise<Selector> {
  const refuse = (reason: "SelectorRequired" | "AmbiguousSelector", why: string, message = why) => {
    recorder.event(autoscaler, "Warning", reason, why);
    // A missing selector is invalid for the condition.
    const said = reason === "SelectorRequired" ? "InvalidSelector" : reason;
    draft.say("ScalingActive", { isTrue: false, reason: said, message });
    return new Error(why);
  };
  if (text === "") {
    throw refuse("SelectorRequired", "selector is required", "the HPA target's scale is missing a selector");
  }
  const selector = parseLabelSelector(text);
  selectors.set(objectKey(autoscaler), selector);
  const { namespace = "" } = autoscaler.metadata ?? {};
  const all = await new TurnBudget(world.clock)
    .run(selectors.selecting(namespace, pods.list({ namespace, selector })));
  if (all.length > 1) {
    const why = `pods by selector ${text} are controlled by multiple HPAs: [${all.join(" ")}]`;
    throw refuse("AmbiguousSelector", why);
  }
  return selector;
}

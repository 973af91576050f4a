import type { PodDisruptionBudget } from "../../../api/mod.ts";
import type { Traits } from "../traits/mod.ts";
import {
  all,
  atMostHundredPercent,
  countOrPercent,
  fields,
  nonNegatives,
  validateConditions,
} from "../validation/mod.ts";

type Spec = NonNullable<PodDisruptionBudget["spec"]>;
type Status = NonNullable<PodDisruptionBudget["status"]>;

const amount = all(countOrPercent, atMostHundredPercent);

const validateSpec = fields<Spec>({
  minAvailable: amount,
  maxUnavailable: amount,
  selector: "selector",
  unhealthyPodEvictionPolicy: "one",
}, "policy.v1.PodDisruptionBudgetSpec");

/** Upstream: `pkg/apis/policy/validation`, which leaves metadata to the rules for all objects. */
export const podDisruptionBudgets: Traits<PodDisruptionBudget> = {
  names: "path",
  hasPlainMetadata: true,
  needsResourceVersion: true,
  generation: ({ spec }) => spec,
  validate({ spec = {} }, errors) {
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      errors.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
    }
    validateSpec(spec, "spec", errors);
  },
  validateStatus({ status }, _old, errors) {
    if (!status) return;
    validateConditions(status.conditions ?? [], "status.conditions", errors);
    const counters = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;
    nonNegatives<Status>(...counters)(status, "status", errors);
  },
};

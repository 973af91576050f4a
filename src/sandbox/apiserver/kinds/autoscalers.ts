import {
  type AutoscalingV2CrossVersionObjectReference as Reference,
  type AutoscalingV2HorizontalPodAutoscaler as Autoscaler,
  parseApiVersion,
} from "../../../api/mod.ts";
import type { Traits } from "../traits/mod.ts";
import { type FieldErrors, problemOf, typedReference } from "../validation/mod.ts";

/** Upstream: `pkg/apis/autoscaling/validation`, `pkg/registry/autoscaling/horizontalpodautoscaler`. */
export const horizontalPodAutoscalers: Traits<Autoscaler> = {
  defaults({ spec }) {
    if (!spec) return;
    spec.minReplicas ??= 1;
    if (!spec.metrics?.length) {
      const target = { type: "Utilization", averageUtilization: 80 };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    const { behavior } = spec;
    if (!behavior) return;
    behavior.scaleUp = {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Max",
      policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, { type: "Percent", value: 100, periodSeconds: 15 }],
      ...behavior.scaleUp,
    };
    behavior.scaleDown = {
      selectPolicy: "Max",
      policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
      ...behavior.scaleDown,
    };
  },
  validate({ spec }, errors, old) {
    if (!spec) return;
    if (spec.maxReplicas < (spec.minReplicas ?? 1)) {
      errors.invalid("spec.maxReplicas", spec.maxReplicas, "must be greater than or equal to `minReplicas`");
    }
    const { scaleTargetRef: target } = spec;
    const isKept = isSameTarget(target, old?.spec?.scaleTargetRef);
    validateReference(target, "spec.scaleTargetRef", errors, isKept);
    // The only scalable kind of the core group is ReplicationController.
    const isScalable = target.kind === "ReplicationController" || /^[^/]+\//.test(target.apiVersion ?? "");
    if (!isScalable && !isKept && versionProblem(target) === undefined) {
      errors.invalid("spec.scaleTargetRef.apiVersion", target.apiVersion ?? "", "apiVersion must specify API group");
    }
    const mayBeWrong = described(old).some(({ reference }) => versionProblem(reference));
    for (const { reference, field } of described({ spec })) validateReference(reference, field, errors, mayBeWrong);
  },
};

/** @param mayBeWrong Whether the apiVersion may have a problem that was there before. */
function validateReference(reference: Reference, field: string, errors: FieldErrors, mayBeWrong: boolean): void {
  const { kind, name, apiVersion = "" } = reference;
  typedReference({ kind, name }, field, errors);
  const problem = mayBeWrong ? undefined : versionProblem(reference);
  if (problem !== undefined) errors.invalid(`${field}.apiVersion`, apiVersion, problem);
}

/** The references to objects whose metrics are used. */
function described(autoscaler: Pick<Autoscaler, "spec"> | undefined): { reference: Reference; field: string }[] {
  return (autoscaler?.spec?.metrics ?? []).flatMap(({ type, object }, i) =>
    type === "Object" && object?.describedObject
      ? [{ reference: object.describedObject, field: `spec.metrics[${i}].object.describedObject` }]
      : []
  );
}

function versionProblem({ apiVersion = "" }: Reference): string | undefined {
  return problemOf(() => parseApiVersion(apiVersion));
}

function isSameTarget(a: Reference, b: Reference | undefined): boolean {
  return b !== undefined && (a.apiVersion ?? "") === (b.apiVersion ?? "") && a.kind === b.kind;
}

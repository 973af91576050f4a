import type { AutoscalingV2HorizontalPodAutoscaler } from "../../../api/mod.ts";
import type { Traits } from "../traits.ts";

export const horizontalPodAutoscalers: Traits<AutoscalingV2HorizontalPodAutoscaler> = {
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
  validate({ spec }, errors) {
    if (!spec || spec.maxReplicas >= (spec.minReplicas ?? 1)) return;
    errors.invalid("spec.maxReplicas", spec.maxReplicas, "must be greater than or equal to `minReplicas`");
  },
};

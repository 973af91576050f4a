import type { Pod, PodTemplate } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import { nowText } from "../environment.ts";
import type { Traits } from "../traits.ts";
import { defaultPod, defaultPodSpec } from "./pod_defaults.ts";
import { qosClassOf } from "./pod_qos.ts";
import { validatePodSpec, validatePodUpdate, validateTemplate } from "./pod_validation.ts";

/** Upstream: `pkg/registry/core/pod/strategy.go`. */
export const pods: Traits<Pod> = {
  isGraceful: true,
  answersDeleted: true,
  generation: ({ spec }) => spec,
  defaults: defaultPod,
  prepareCreate(pod, { state }) {
    pod.status = { phase: "Pending", qosClass: qosClassOf(pod) };
    if (!pod.spec?.schedulingGates?.length) return;
    pod.status.conditions = [{
      type: "PodScheduled",
      status: "False",
      lastTransitionTime: nowText(state),
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    }];
  },
  prepareStatus(pod, old) {
    // The garbage collector relies on ownerReferences; a kubelet must not be able to change them.
    if (old.metadata.ownerReferences) pod.metadata.ownerReferences = deepCopy(old.metadata.ownerReferences);
    else delete pod.metadata.ownerReferences;
    pod.status = { ...pod.status, qosClass: old.status?.qosClass };
    pod.status.observedGeneration ??= old.status?.observedGeneration;
    for (const condition of pod.status.conditions ?? []) {
      condition.observedGeneration ??= old.status?.conditions?.find(({ type }) => type === condition.type)
        ?.observedGeneration;
    }
  },
  validate: (pod, errors) => validatePodSpec(pod.spec, "spec", errors),
  validateUpdate: validatePodUpdate,
};

/** A template on its own. */
export const podTemplates: Traits<PodTemplate> = {
  answersDeleted: true,
  generation: ({ template }) => template,
  defaults({ template }) {
    if (template?.spec) defaultPodSpec(template.spec);
  },
  validate: ({ template }, errors) => validateTemplate(template, "template", ["Always", "OnFailure", "Never"], errors),
};

/** Rules for pods and pod templates. Upstream: `pkg/registry/core/pod/strategy.go`, `pkg/apis/core`. */
import type { Pod, PodTemplate } from "../../../../api/mod.ts";
import { deepCopy } from "../../../../base/mod.ts";
import { nowText, type Stored, type Traits } from "../../traits/mod.ts";
import type { FieldErrors } from "../../validation/mod.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validateImage } from "./containers.ts";
import { defaultPod, defaultTemplate } from "./defaults.ts";
import { selectOwnLabels } from "./own_labels.ts";
import { qosClassOf } from "./qos.ts";
import { validatePodSpec } from "./spec.ts";
import { validatePodStatus } from "./status.ts";
import { validateTemplate } from "./template.ts";
import { validatePodUpdate } from "./update.ts";
import { podWarnings, templateWarnings } from "./warnings.ts";

/** Upstream: validatePodMetadataAndSpec. */
function validatePod({ metadata, spec = { containers: [] } }: Stored<Pod>, errors: FieldErrors): void {
  validatePodAnnotations({ metadata, spec }, "metadata.annotations", errors);
  validatePodSpec(spec, "spec", errors, metadata);
  if (!spec.serviceAccountName) {
    for (const [i, { projected }] of (spec.volumes ?? []).entries()) {
      for (const [j, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
        if (!serviceAccountToken) continue;
        const field = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`;
        errors.forbidden(field, "must not be specified when serviceAccountName is not set");
      }
    }
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) validateImage(container, `spec.${list}[${i}]`, errors);
  }
}

export const pods: Traits<Pod> = {
  isGraceful: true,
  answersDeleted: true,
  generation: ({ spec }) => spec,
  defaults: defaultPod,
  prepareCreate(pod, { state }) {
    pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec) };
    selectOwnLabels(pod);
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
    pod.status = { ...pod.status };
    pod.status.qosClass ||= old.status?.qosClass;
    pod.status.observedGeneration ||= old.status?.observedGeneration;
    for (const condition of pod.status.conditions ?? []) {
      condition.observedGeneration ||= old.status?.conditions?.find(({ type }) => type === condition.type)
        ?.observedGeneration;
    }
  },
  validate: validatePod,
  validateCreate({ spec = { containers: [] } }, errors) {
    if (spec.ephemeralContainers?.length) errors.forbidden("spec.ephemeralContainers", "cannot be set on create");
    if (spec.nodeName && spec.schedulingGates?.length) {
      errors.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
    }
  },
  validateUpdate: validatePodUpdate,
  validateStatus: validatePodStatus,
  warnings: (pod, old) => old ? [] : podWarnings(pod),
};

export const podTemplates: Traits<PodTemplate> = {
  answersDeleted: true,
  generation: ({ template }) => template,
  defaults(object, gates) {
    object.template ??= {};
    defaultTemplate(object.template, gates);
  },
  validate: ({ template }, errors) => validateTemplate(template, "template", errors),
  warnings: ({ template }) => templateWarnings(template, "template"),
};

import {
  type Affinity,
  CONTROLLER_REVISION_HASH_LABEL,
  type DaemonSet,
  POD_TEMPLATE_GENERATION_LABEL,
  type PodTemplateSpec,
} from "../../api/mod.ts";
import { templateGeneration } from "./template_generation.ts";
import { daemonTolerations } from "./tolerations.ts";

/**
 * The template of a DaemonSet's pod for one node: the scheduler will bind it there and nowhere else.
 * Upstream: `pkg/controller/daemon/util` (CreatePodTemplate, ReplaceDaemonSetPodNodeNameNodeAffinity).
 */
export function templateFor(node: string, daemonSet: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec = { containers: [] } } = daemonSet.spec!.template;
  const generation = templateGeneration(daemonSet);
  const labels = {
    ...metadata?.labels,
    ...generation === undefined ? {} : { [POD_TEMPLATE_GENERATION_LABEL]: generation },
    ...hash === "" ? {} : { [CONTROLLER_REVISION_HASH_LABEL]: hash },
  };
  return {
    metadata: { ...metadata, labels },
    spec: { ...spec, tolerations: daemonTolerations(spec), affinity: onlyOn(node, spec.affinity) },
  };
}

function onlyOn(node: string, affinity: Affinity | undefined): Affinity {
  const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    },
  };
}

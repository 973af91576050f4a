import {
  type Affinity,
  CONTROLLER_REVISION_HASH_LABEL,
  type ControllerRevision,
  type DaemonSet,
  DEPRECATED_TEMPLATE_GENERATION_ANNOTATION,
  type Pod,
  POD_TEMPLATE_GENERATION_LABEL,
  type PodTemplateSpec,
} from "../../api/mod.ts";
import { parseInt64 } from "../../base/mod.ts";
import { daemonTolerations } from "./tolerations.ts";

/**
 * The template of a DaemonSet's pod for one node, which restricts scheduling to that node.
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

/** The generation of the DaemonSet's template, as in pods' labels; `undefined` if unset. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata?.annotations?.[DEPRECATED_TEMPLATE_GENERATION_ANNOTATION];
  return text === undefined ? undefined : parseInt64(text)?.toString();
}

/**
 * Whether a pod was made from the current template: by the hash of the revision, or by the template's generation, which
 * also works if another version wrote the revision with other bytes. Upstream: IsPodUpdated of
 * `pkg/controller/daemon/util`.
 */
export function isPodUpdated({ metadata }: Pod, daemonSet: DaemonSet, hash: string): boolean {
  const labels = metadata?.labels ?? {};
  const generation = templateGeneration(daemonSet);
  return (hash !== "" && labels[CONTROLLER_REVISION_HASH_LABEL] === hash) ||
    (generation !== undefined && labels[POD_TEMPLATE_GENERATION_LABEL] === generation);
}

/** The label value of pods of this revision. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] ?? "";
}

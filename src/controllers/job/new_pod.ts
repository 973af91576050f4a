import { type Container, type Job, JOBS, newControllerRef, type Pod, type PodTemplateSpec } from "../../api/mod.ts";
import type { PodCreation } from "../pods/mod.ts";
import { judgeFailure } from "./failure_policy.ts";
import { ignoredIndexFailures, indexFailures } from "./job_pods.ts";
import {
  COMPLETION_INDEX,
  COMPLETION_INDEX_VARIABLE,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  TRACKING_FINALIZER,
} from "./names.ts";
import { hasLimitPerIndex } from "./spec.ts";

/** Room that a generated name leaves for its suffix of five, within the 63 characters of a DNS label. */
const LONGEST_PREFIX = 58;

/** How to create a pod of a Job that is not Indexed. */
export function plainPod(job: Job): PodCreation {
  const template = job.spec?.template;
  const finalizers = template?.metadata?.finalizers ?? [];
  return {
    namespace: job.metadata?.namespace,
    parent: job,
    controllerRef: newControllerRef(job, JOBS),
    template: {
      ...template,
      metadata: {
        ...template?.metadata,
        finalizers: finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER],
      },
    },
  };
}

/**
 * How to create the pod for an index: it is named after the index, which is also in an annotation, a label and a
 * variable.
 * Upstream: `pkg/controller/job/indexed_job_utils.go`.
 *
 * @param replaced The failed pod that it replaces, if each index has its own limit and it is not the first.
 */
export function indexedPod(job: Job, index: number, replaced: Pod | undefined): PodCreation {
  const creation = plainPod(job);
  const { metadata, spec } = creation.template!;
  const template: PodTemplateSpec = {
    metadata: {
      ...metadata,
      // A template that would be refused without labels must stay refused.
      labels: metadata?.labels && { ...metadata.labels, [COMPLETION_INDEX]: String(index) },
      annotations: {
        ...metadata?.annotations,
        [COMPLETION_INDEX]: String(index),
        ...hasLimitPerIndex(job) ? failureCounts(job, replaced) : {},
      },
    },
    spec: {
      ...spec!,
      hostname: `${job.metadata?.name}-${index}`,
      containers: spec!.containers.map(withIndexVariable),
      initContainers: spec!.initContainers?.map(withIndexVariable),
    },
  };
  return { ...creation, template, generateName: namePrefix(job.metadata?.name ?? "", index) };
}

/** Truncates the Job's name rather than the index. */
function namePrefix(name: string, index: number): string {
  const end = `-${index}-`;
  return name.slice(0, LONGEST_PREFIX - end.length) + end;
}

function failureCounts(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [INDEX_FAILURE_COUNT]: "0" };
  const { counts } = judgeFailure(job, replaced);
  const ignored = ignoredIndexFailures(replaced) + (counts ? 0 : 1);
  return {
    [INDEX_FAILURE_COUNT]: String(indexFailures(replaced) + (counts ? 1 : 0)),
    ...ignored > 0 ? { [INDEX_IGNORED_FAILURE_COUNT]: String(ignored) } : {},
  };
}

/** A variable of this name that the user has set is left alone. */
function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === COMPLETION_INDEX_VARIABLE)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
  return { ...container, env: [...container.env ?? [], { name: COMPLETION_INDEX_VARIABLE, valueFrom: { fieldRef } }] };
}

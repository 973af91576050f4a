import {
  apiVersionOf,
  findCondition,
  type Job,
  JOBS,
  newControllerRef,
  type Pod,
  type PodGroup,
  PODGROUPS,
  type PodGroupTemplate,
  safeEncode,
  type Workload,
  WORKLOADS,
} from "../../api/mod.ts";
import { fnv1a32 } from "../../base/mod.ts";
import type { PodCreation } from "../pods/mod.ts";
import { isIndexed } from "./spec.ts";

/**
 * Whether all pods of a Job must run at once: it is Indexed, and its parallelism equals its completions and exceeds
 * one. A template that already names a group is left to that group's creator.
 * Upstream: `pkg/controller/job/util/utils.go` (IsGangSchedulingCandidate).
 */
export function isGang(job: Job): boolean {
  const { parallelism, completions, template } = job.spec ?? {};
  return isIndexed(job) && parallelism !== undefined && parallelism > 1 && completions === parallelism &&
    !template?.spec?.schedulingGroup;
}

/**
 * Whether a Job has never started. One that started without a group continues without it. No single sign is sufficient:
 * pods may have been removed, a suspension resets the start time, and a suspension leaves no pods.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (isNewJob).
 */
export function hasNeverStarted({ status }: Job, pods: readonly Pod[]): boolean {
  return pods.length === 0 && !status?.startTime && !status?.succeeded && !status?.failed &&
    !findCondition(status?.conditions, "Suspended");
}

/**
 * The Workload of a gang-shaped Job: one template for the group of all its pods.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (createWorkloadForJob, buildPodGroupTemplates).
 */
export function newWorkload(job: Job): Workload {
  const name = job.metadata?.name ?? "";
  const template: PodGroupTemplate = {
    name: `${name}-pgt-0`,
    schedulingPolicy: { gang: { minCount: job.spec?.parallelism ?? 1 } },
  };
  return {
    apiVersion: apiVersionOf(WORKLOADS),
    kind: WORKLOADS.kind,
    metadata: {
      name: workloadName(job),
      namespace: job.metadata?.namespace,
      ownerReferences: [newControllerRef(job, JOBS)],
    },
    spec: { controllerRef: { apiGroup: JOBS.group, kind: JOBS.kind, name }, podGroupTemplates: [template] },
  };
}

/**
 * The group for a Job's pods, as its Workload describes it. The Job controls it; the Workload may be deleted before it.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (createPodGroupForWorkload).
 *
 * @throws {Error} If the Workload describes no group.
 */
export function newPodGroup(job: Job, { metadata, spec }: Workload): PodGroup {
  const { name = "", namespace = "", uid = "" } = metadata ?? {};
  const [template] = spec?.podGroupTemplates ?? [];
  if (!template) throw new Error(`workload ${namespace}/${name} has no PodGroupTemplates`);
  return {
    apiVersion: apiVersionOf(PODGROUPS),
    kind: PODGROUPS.kind,
    metadata: {
      name: podGroupName(name, template.name),
      namespace: job.metadata?.namespace,
      ownerReferences: [
        newControllerRef(job, JOBS),
        { apiVersion: apiVersionOf(WORKLOADS), kind: WORKLOADS.kind, name, uid },
      ],
    },
    spec: {
      podGroupTemplateRef: { workload: { workloadName: name, podGroupTemplateName: template.name } },
      schedulingPolicy: template.schedulingPolicy,
    },
  };
}

const encoder = new TextEncoder();
/** The longest name on the API server. */
const LONGEST_NAME = 253;

/**
 * The name of a Job's Workload: the Job's name, truncated if necessary, and a hash of its uid, so that Jobs of the same
 * name differ. Upstream: `pkg/controller/job/job_scheduling_manager.go` (computeWorkloadName).
 */
export function workloadName({ metadata }: Job): string {
  // The uid is hashed as Go prints a value together with its type.
  const hash = hashOf(`(types.UID)${metadata?.uid ?? ""}`);
  return `${(metadata?.name ?? "").slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`;
}

/**
 * The name of the PodGroup of a Workload's template: both names and a hash of them. If they are too long, the one that
 * takes more than half of the room is truncated, or both are.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (computePodGroupName).
 */
export function podGroupName(workload: string, template: string): string {
  const hash = hashOf(workload + template);
  const room = LONGEST_NAME - hash.length - 2;
  const half = Math.floor(room / 2);
  const forWorkload = Math.max(room - template.length, room - half);
  const forTemplate = Math.max(room - workload.length, half);
  return `${workload.slice(0, forWorkload)}-${template.slice(0, forTemplate)}-${hash}`;
}

function hashOf(text: string): string {
  return safeEncode(String(fnv1a32(encoder.encode(text))));
}

/** A pod of the group. */
export function inGroup(creation: PodCreation, podGroupName: string | undefined): PodCreation {
  const { template } = creation;
  if (podGroupName === undefined || !template?.spec) return creation;
  return { ...creation, template: { ...template, spec: { ...template.spec, schedulingGroup: { podGroupName } } } };
}

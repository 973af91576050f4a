import {
  apiVersionOf,
  type Job,
  JOBS,
  newControllerRef,
  type PodGroup,
  PODGROUPS,
  type PodGroupTemplate,
  type Workload,
  WORKLOADS,
} from "../../api/mod.ts";
import { podGroupName, workloadName } from "./gang_names.ts";

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
 * The group that a Job's pods are to be in, as its Workload describes it. The Job controls it; the Workload may go before it.
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

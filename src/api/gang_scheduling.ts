import type { Condition, ObjectMeta } from "./generated_types.ts";
import type { Resource } from "./resource.ts";

/**
 * `scheduling.k8s.io/v1alpha2`, which API servers serve only on request (gate `GenericWorkload`) and the published schemas
 * leave out: as much of it as controllers read and write.
 */

/** How pods that belong together are scheduled: as they come, or at least `minCount` of them at once. */
export interface PodGroupSchedulingPolicy {
  basic?: Record<string, never>;
  gang?: { minCount: number };
}

/** What groups of pods of a workload look like. */
export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: PodGroupSchedulingPolicy;
}

/** scheduling.k8s.io/v1alpha2 Workload */
export interface Workload {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: {
    /** The object whose pods these are. */
    controllerRef?: { apiGroup?: string; kind: string; name: string };
    podGroupTemplates?: PodGroupTemplate[];
  };
}

/** scheduling.k8s.io/v1alpha2 PodGroup */
export interface PodGroup {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: {
    podGroupTemplateRef?: { workload?: { workloadName: string; podGroupTemplateName: string } };
    schedulingPolicy?: PodGroupSchedulingPolicy;
  };
  status?: { conditions?: Condition[] };
}

const VERBS = ["deletecollection", "list", "create", "delete", "get", "patch", "update", "watch"] as const;

/** Groups of pods that are scheduled together or not at all; behind the feature gate WorkloadWithJob. */
export const WORKLOADS: Resource<Workload> = {
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  plural: "workloads",
  kind: "Workload",
  namespaced: true,
  verbs: VERBS,
  subresources: [],
};

/** One such group; behind the feature gate WorkloadWithJob. */
export const PODGROUPS: Resource<PodGroup> = {
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  plural: "podgroups",
  kind: "PodGroup",
  namespaced: true,
  verbs: VERBS,
  subresources: ["status"],
};

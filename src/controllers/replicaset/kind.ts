import {
  type KubeObject,
  type LabelSelector,
  type PodTemplateSpec,
  type ReplicaSet,
  REPLICASETS,
  type ReplicaSetStatus,
  type Resource,
} from "../../api/mod.ts";

/**
 * Any object that keeps a number of pods: a ReplicaSet, or a ReplicationController read through its {@link
 * ReplicaKind}.
 */
export interface ReplicaOwner extends KubeObject {
  status?: ReplicaSetStatus;
}

/**
 * What differs between the two kinds that this code serves: ReplicaSet, and ReplicationController with its older form.
 *
 * @typeParam T The type of the objects.
 */
export interface ReplicaKind<T extends ReplicaOwner> {
  readonly resource: Resource<T>;
  /** The controller's name in `--controllers` and log lines. */
  readonly controllerName: string;
  /** The client's name, and the source of the events. */
  readonly component: string;
  readonly queueName: string;
  replicasOf(owner: T): number;
  minReadySecondsOf(owner: T): number;
  /** `undefined` selects nothing. */
  selectorOf(owner: T): LabelSelector | undefined;
  templateOf(owner: T): PodTemplateSpec | undefined;
  /** Whether to ignore pods' deletion cost: without the gate PodDeletionCost. */
  readonly ignoresDeletionCost?: boolean;
  /** Whether the status has `terminatingReplicas`. */
  readonly countsTerminating: boolean;
}

/** ReplicaSets. */
export const REPLICASET_KIND: ReplicaKind<ReplicaSet> = {
  resource: REPLICASETS,
  controllerName: "replicaset-controller",
  component: "replicaset-controller",
  queueName: "replicaset",
  replicasOf: (replicaSet) => replicaSet.spec?.replicas ?? 1, // the API server's default
  minReadySecondsOf: (replicaSet) => replicaSet.spec?.minReadySeconds ?? 0,
  selectorOf: (replicaSet) => replicaSet.spec?.selector,
  templateOf: (replicaSet) => replicaSet.spec?.template,
  countsTerminating: true,
};

import { isPodTerminal } from "../../rules/mod.ts";
import {
  joinKey,
  type KubeObject,
  NAMESPACES,
  type Node,
  NODES,
  type PersistentVolume,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type Resource,
  STORAGECLASSES,
} from "../../api/mod.ts";
import { deepEqual } from "../../base/mod.ts";
import {
  ensureIndexer,
  type EventHandler,
  finalStateOf,
  type HandlerRegistration,
  type InformerFactory,
  type SharedInformer,
} from "../../cache/mod.ts";
import type { ClusterState, VolumeView } from "./cluster_state.ts";
import type { NamespaceLabels, PodInfo } from "./pod_info.ts";
import { podInfo } from "./pod_info.ts";
import type { SchedulingQueue } from "./scheduling_queue.ts";

/** The scheduler's name in a pod's `schedulerName` and in events. */
export const SCHEDULER_NAME = "default-scheduler";

const FREE_OF_CLASS = "freeOfClass";
const NAMING_CLAIM = "namingClaim";

export interface ClusterWatchOptions {
  readonly informers: InformerFactory;
  readonly queue: SchedulingQueue;
  /** Called when a claim changed or a pod is gone. */
  onClaims(): void;
}

/** The registration of a handler, and how to remove it. */
interface Added {
  readonly registration: HandlerRegistration;
  remove(): Promise<void>;
}

/**
 * Passes changes from the API server on to the cluster's state and the queue.
 *
 * Contract:
 * 1. A pod on a node counts there until it is gone or has ended; a pod that waits for this scheduler is in the queue.
 * 2. A placed pod stays where it was put until the API server says where it is, or it is gone.
 * 3. A change makes the scheduler retry those pods that it may help; heartbeats and statuses do not.
 *
 * Upstream: `pkg/scheduler/eventhandlers.go`.
 */
export class ClusterWatch {
  readonly volumes: VolumeView;
  readonly labelsOf: NamespaceLabels;
  readonly #options: ClusterWatchOptions;
  readonly #added: Added[] = [];

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    const { informers } = options;
    const claims = informers.informer(PERSISTENTVOLUMECLAIMS).lister;
    const { lister: volumes, indexer } = indexed(informers.informer(PERSISTENTVOLUMES));
    const classes = informers.informer(STORAGECLASSES).lister;
    const namespaces = informers.informer(NAMESPACES).lister;
    this.volumes = {
      claim: (namespace, name) => claims.get(namespace, name),
      volume: (name) => volumes.get(undefined, name),
      freeVolumes: (storageClass) => indexer.byIndex(FREE_OF_CLASS, storageClass),
      volumesNaming: (namespace, claim) => indexer.byIndex(NAMING_CLAIM, joinKey(namespace, claim)),
      storageClass: (name) => classes.get(undefined, name),
    };
    this.labelsOf = (name) => namespaces.get(undefined, name)?.metadata?.labels;
  }

  /** Starts to update `state`. */
  begin(state: ClusterState): void {
    const { queue, onClaims } = this.#options;
    this.#listen(PODS, this.#podHandler(state));
    this.#listen(NODES, {
      onAdd: (node) => this.#seeNode(state, undefined, node),
      onUpdate: (old, node) => this.#seeNode(state, old, node),
      onDelete: (gone) => state.removeNode(finalStateOf(gone)?.metadata?.name ?? ""),
    });
    const ofVolumes = whenChanged(() => {
      onClaims();
      queue.retryAll(({ pod }) =>
        (pod.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim || volume.ephemeral)
      );
    });
    this.#listen(PERSISTENTVOLUMECLAIMS, ofVolumes);
    this.#listen(PERSISTENTVOLUMES, ofVolumes);
    this.#listen(STORAGECLASSES, ofVolumes);
    this.#listen(NAMESPACES, {
      onUpdate: (old, space) => {
        if (deepEqual(old.metadata?.labels, space.metadata?.labels)) return;
        state.namespacesChanged();
        queue.retryAll(hasAffinity);
      },
    });
  }

  /** The handlers that must have synced before the first decision. */
  get registrations(): readonly HandlerRegistration[] {
    return this.#added.map(({ registration }) => registration);
  }

  async end(): Promise<void> {
    await Promise.all(this.#added.map(({ remove }) => remove()));
  }

  #listen<T extends KubeObject>(resource: Resource<T>, handler: EventHandler<T>): void {
    const informer = this.#options.informers.informer(resource);
    const registration = informer.addEventHandler(handler);
    this.#added.push({ registration, remove: () => informer.removeEventHandler(registration) });
  }

  #podHandler(state: ClusterState): EventHandler<Pod> {
    return {
      onAdd: (pod) => this.#seePod(state, pod),
      onUpdate: (old, pod) => {
        if (old.metadata?.uid !== pod.metadata?.uid) this.#losePod(state, old);
        else if (isOnlyStatus(old, pod)) return;
        this.#seePod(state, pod);
      },
      onDelete: (gone) => this.#losePod(state, finalStateOf(gone)),
    };
  }

  #seePod(state: ClusterState, pod: Pod): void {
    const { queue } = this.#options;
    const { uid = "" } = pod.metadata ?? {};
    if (isPodTerminal(pod)) return this.#losePod(state, pod);
    if (pod.spec?.nodeName) {
      queue.remove(uid);
      const wasExpected = state.placeOf(uid) === pod.spec.nodeName;
      state.putPod(podInfo(pod), pod.spec.nodeName);
      if (!wasExpected) queue.retryAll(hasAffinity);
    } else if (!isWaiting(pod)) queue.remove(uid);
    else if (state.placeOf(uid) === undefined) queue.put(podInfo(pod));
  }

  #losePod(state: ClusterState, pod: Pod | undefined): void {
    const { queue, onClaims } = this.#options;
    const { uid = "" } = pod?.metadata ?? {};
    queue.remove(uid);
    if (state.placeOf(uid) === undefined) return;
    state.removePod(uid);
    onClaims();
    queue.retryAll();
  }

  #seeNode(state: ClusterState, old: Node | undefined, node: Node): void {
    state.putNode(node);
    if (!old || !deepEqual(traitsOf(old), traitsOf(node))) this.#options.queue.retryAll();
  }
}

function indexed(volumes: SharedInformer<PersistentVolume>): SharedInformer<PersistentVolume> {
  const isFree = ({ spec, status }: PersistentVolume) => !spec?.claimRef && status?.phase === "Available";
  ensureIndexer(volumes, FREE_OF_CLASS, (volume) => isFree(volume) ? [volume.spec?.storageClassName ?? ""] : []);
  ensureIndexer(volumes, NAMING_CLAIM, ({ spec }) => {
    const { namespace, name = "" } = spec?.claimRef ?? {};
    return spec?.claimRef ? [joinKey(namespace, name)] : [];
  });
  return volumes;
}

function whenChanged(changed: () => void): EventHandler<KubeObject> {
  return { onAdd: changed, onUpdate: changed, onDelete: changed };
}

function isWaiting({ metadata, spec }: Pod): boolean {
  return !metadata?.deletionTimestamp && !spec?.schedulingGates?.length &&
    (spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME;
}

/** Whether nothing changed that affects scheduling. The generation changes with the spec and with deletion. */
function isOnlyStatus(old: Pod, pod: Pod): boolean {
  return old.metadata?.generation !== undefined && old.metadata.generation === pod.metadata?.generation &&
    old.spec?.nodeName === pod.spec?.nodeName && isPodTerminal(old) === isPodTerminal(pod) &&
    deepEqual(old.metadata.labels, pod.metadata.labels);
}

/** Whether new pods may make this one schedulable. */
function hasAffinity({ affinity, pod }: PodInfo): boolean {
  return affinity.length > 0 || (pod.spec?.topologySpreadConstraints ?? []).length > 0;
}

/** The parts of a node that scheduling depends on. */
function traitsOf({ metadata, spec, status }: Node): unknown {
  return [metadata?.labels, spec?.taints, spec?.unschedulable, status?.allocatable];
}

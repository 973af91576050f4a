/** The binder's syncs on an embedded API server, with caches that show what they are told to. */
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  joinKey,
  NODES,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type StorageClass,
  STORAGECLASSES,
} from "../../../../src/api/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import type { BinderContext } from "../../../../src/controllers/persistentvolume_binder/context.ts";
import { newCandidates } from "../../../../src/controllers/persistentvolume_binder/matching.ts";
import { binderMetrics } from "../../../../src/controllers/persistentvolume_binder/metrics.ts";
import { OperationTimes } from "../../../../src/controllers/persistentvolume_binder/operation_times.ts";
import { PrivateCache } from "../../../../src/controllers/persistentvolume_binder/private_cache.ts";
import { OWN_TEMPLATE } from "../../../../src/controllers/persistentvolume_binder/recycler_pod.ts";
import { syncClaimKey, syncVolumeKey } from "../../../../src/controllers/persistentvolume_binder/sync.ts";
import { indexPodsByClaim } from "../../../../src/controllers/pod_volumes/mod.ts";
import {
  HOST_PATH_PLUGIN,
  NFS_PLUGIN,
  PendingOperations,
  VolumePlugins,
} from "../../../../src/controllers/volumes/mod.ts";
import { TemporaryFolders } from "../../../../src/manager/supplies/temporary_folders.ts";
import { NO_JOURNAL } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { ServerRig } from "../server_rig.ts";

export const COMPLETED = { "pv.kubernetes.io/bind-completed": "yes" };
export const BY_CONTROLLER = { "pv.kubernetes.io/bound-by-controller": "yes" };

type Parts<T extends { metadata?: unknown; spec?: unknown; status?: unknown }> = Partial<T["spec"]> & {
  readonly metadata?: T["metadata"];
  readonly phase?: string;
  readonly status?: T["status"];
};

/** A volume `v` of a gibibyte, which is available. */
export function volume(
  { metadata, phase = "Available", status, ...spec }: Parts<PersistentVolume> = {},
): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v", uid: `uid-${metadata?.name ?? "v"}`, resourceVersion: "5", ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      volumeMode: "Filesystem",
      ...!spec.hostPath && !spec.nfs && !spec.local && { csi: { driver: "csi.example.com", volumeHandle: "h" } },
      ...spec,
      ...spec.hostPath && { hostPath: { type: "", ...spec.hostPath } },
    },
    status: { phase, ...status },
  };
}

/** A claim `a/c` to a gibibyte, which waits for it. */
export function claim(
  { metadata, phase = "Pending", status, ...spec }: Parts<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "a", name: "c", uid: "uid-c", resourceVersion: "6", ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeMode: "Filesystem",
      ...spec,
    },
    status: { phase, ...status },
  };
}

export function refTo(
  name = "c",
  uid: string | undefined = "uid-c",
): NonNullable<PersistentVolume["spec"]>["claimRef"] {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "a", name, uid };
}

/** A claim and a volume that are bound to each other. */
export const boundClaim = (parts: Parts<PersistentVolumeClaim> = {}) =>
  claim({
    volumeName: "v",
    phase: "Bound",
    status: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
    metadata: { annotations: { ...COMPLETED, ...BY_CONTROLLER } },
    ...parts,
  });
export const boundVolume = (parts: Parts<PersistentVolume> = {}) =>
  volume({ claimRef: refTo(), phase: "Bound", metadata: { annotations: BY_CONTROLLER }, ...parts });

export function storageClass(name: string, parts: Partial<StorageClass> = {}): StorageClass {
  return {
    provisioner: "csi.example.com",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    ...parts,
    metadata: { name, ...parts.metadata },
  };
}

export interface RigObjects {
  readonly volumes?: readonly PersistentVolume[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly pods?: readonly Pod[];
  readonly classes?: readonly StorageClass[];
}

export class BinderRig {
  readonly server = new ServerRig({ managedFields: true });
  readonly recorder = new FakeRecorder();
  readonly registry = new MetricsRegistry();
  readonly stop = new AbortController();
  /** Keys that were queued. */
  readonly queued: string[] = [];
  readonly shownVolumes = this.server.cache<PersistentVolume>();
  readonly shownClaims = this.server.cache<PersistentVolumeClaim>();
  readonly pods = this.server.cache<Pod>();
  readonly classes = this.server.cache<StorageClass>();
  readonly nodes = this.server.cache();
  readonly operations = new PendingOperations({ clock: this.server.world.clock });
  readonly context: BinderContext;

  constructor(
    { volumes = [], claims = [], pods = [], classes = [] }: RigObjects = {},
    parts: Partial<BinderContext> = {},
  ) {
    const { world, client } = this.server;
    indexPodsByClaim(this.pods);
    this.server.store(PERSISTENTVOLUMES, ...volumes);
    this.server.store(PERSISTENTVOLUMECLAIMS, ...claims);
    this.server.store(PODS, ...pods);
    this.server.store(STORAGECLASSES, ...classes);
    const metrics = binderMetrics(this.registry);
    const queue = { add: (key: string) => void this.queued.push(key) };
    const recycler = { template: OWN_TEMPLATE, minimumSeconds: 60, secondsPerGi: 30 };
    this.context = {
      world,
      journal: NO_JOURNAL,
      client,
      recorder: this.recorder,
      ...newCandidates(),
      claims: new PrivateCache(),
      shownVolumes: this.shownVolumes,
      shownClaims: this.shownClaims,
      pods: this.pods,
      classes: new Lister(this.classes),
      nodes: new Lister(this.nodes),
      volumeQueue: queue,
      claimQueue: queue,
      operations: this.operations,
      plugins: new VolumePlugins([HOST_PATH_PLUGIN, NFS_PLUGIN]),
      recyclers: { nfs: { ...recycler, minimumSeconds: 300 }, hostPath: recycler },
      folders: new TemporaryFolders(world),
      metrics,
      times: new OperationTimes(world.clock, metrics),
      isProvisioning: true,
      provisionsHostPaths: true,
      signal: this.stop.signal,
      ...parts,
    };
    this.show();
  }

  /** Lets the informers show what the server has, and the private caches take it. */
  show(): void {
    this.server.show(PERSISTENTVOLUMES, this.shownVolumes);
    this.server.show(PERSISTENTVOLUMECLAIMS, this.shownClaims);
    this.server.show(PODS, this.pods);
    this.server.show(STORAGECLASSES, this.classes);
    this.server.show(NODES, this.nodes);
    for (const each of this.shownVolumes.list()) this.context.volumes.store(each);
    for (const each of this.shownClaims.list()) this.context.claims.store(each);
  }

  /** Syncs a volume and waits for what that sets going. @returns The requests that it made. */
  async syncVolume(name = "v"): Promise<string[]> {
    const from = this.server.calls.length;
    await syncVolumeKey(name, this.context);
    await this.operations.idle();
    return this.server.calls.slice(from);
  }

  /** Syncs a claim and waits for what that sets going. @returns The requests that it made. */
  async syncClaim(key = "a/c"): Promise<string[]> {
    const from = this.server.calls.length;
    await syncClaimKey(key, this.context);
    await this.operations.idle();
    return this.server.calls.slice(from);
  }

  volume(name = "v"): PersistentVolume {
    return this.server.find(PERSISTENTVOLUMES, name)!;
  }

  claim(name = "c"): PersistentVolumeClaim {
    return this.server.find(PERSISTENTVOLUMECLAIMS, joinKey("a", name))!;
  }

  /** Events, without the objects they are about. */
  get events(): string[] {
    return this.recorder.lines;
  }

  /** Takes what was stored before out of the way of a claim of the same name. */
  replaceClaim(next: PersistentVolumeClaim): void {
    this.server.remove(PERSISTENTVOLUMECLAIMS, objectKey(next));
    this.server.store(PERSISTENTVOLUMECLAIMS, next);
  }
}

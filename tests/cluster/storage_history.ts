/** What happens to claims, volumes and where they are attached, each write in the API server's order, and what must never happen. */
import {
  type KubeObject,
  type Node,
  NODES,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type Resource,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { finalStateOf, InformerFactory, waitForCacheSync } from "../../src/cache/mod.ts";
import type { Client } from "../../src/client/mod.ts";

interface Entry {
  /** Counted by the API server over all kinds, so that entries of all watches have one order. */
  readonly version: bigint;
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly isGone: boolean;
}

const WATCHED: readonly Resource[] = [PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, VOLUMEATTACHMENTS, NODES, PODS];

/** Watches a cluster's storage. */
export class StorageHistory implements AsyncDisposable {
  readonly #informers: InformerFactory;
  readonly #entries: Entry[] = [];

  private constructor(client: Client) {
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "storage-history" });
  }

  static async start(client: Client): Promise<StorageHistory> {
    const history = new StorageHistory(client);
    const registrations = WATCHED.map((resource) => history.#watch(resource));
    const { signal } = new AbortController();
    history.#informers.start(signal);
    await waitForCacheSync(signal, ...registrations);
    return history;
  }

  #watch(resource: Resource) {
    const add = (object: KubeObject | undefined, isGone = false) => {
      const version = BigInt(object?.metadata?.resourceVersion ?? 0);
      if (object) this.#entries.push({ version, resource, object, isGone });
    };
    return this.#informers.informer(resource).addEventHandler({
      onAdd: (object) => add(object),
      onUpdate: (_before, object) => add(object),
      onDelete: (gone) => add(finalStateOf(gone), true),
    });
  }

  /** Writes so far. */
  get length(): number {
    return this.#entries.length;
  }

  /** Everything that happened and must not. */
  broken(): readonly string[] {
    const replay = new Replay();
    for (const entry of this.#entries.toSorted((a, b) => Number(a.version - b.version))) replay.take(entry);
    return replay.broken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
  }
}

/** The cluster as it was after each write. */
class Replay {
  readonly broken: string[] = [];
  readonly #objects = new Map(WATCHED.map(({ plural }) => [plural, new Map<string, KubeObject>()]));
  /** Volumes on nodes that are mounted, as far as one can know: `unique name node`. */
  readonly #mounted = new Set<string>();

  take({ resource, object, isGone, version }: Entry): void {
    const objects = this.#objects.get(resource.plural)!;
    const key = objectKey(object);
    const before = objects.get(key);
    if (isGone) objects.delete(key);
    else objects.set(key, object);
    const change = { before, after: object, isGone };
    for (const problem of this.#problems(resource, change)) {
      this.broken.push(`${resource.kind} ${key} at ${version}: ${problem}`);
    }
    this.#seeMounts();
  }

  #problems(resource: Resource, change: Change<KubeObject>): readonly string[] {
    if (resource === PERSISTENTVOLUMECLAIMS) return this.#ofClaim(change as Change<PersistentVolumeClaim>);
    if (resource === PERSISTENTVOLUMES) return this.#ofVolume(change as Change<PersistentVolume>);
    if (resource === VOLUMEATTACHMENTS) return this.#ofAttachment(change as Change<VolumeAttachment>);
    return [];
  }

  #ofClaim({ before, after, isGone }: Change<PersistentVolumeClaim>): readonly string[] {
    const had = isSame(before, after) ? before?.spec?.volumeName : undefined;
    const users = this.#pods().filter((pod) =>
      pod.metadata?.namespace === after.metadata?.namespace && pod.status?.phase === "Running" &&
      claimsOf(pod).includes(after.metadata?.name ?? "")
    );
    return [
      ...had && had !== after.spec?.volumeName ? [`it had ${had} and has ${after.spec?.volumeName}`] : [],
      ...after.status?.phase === "Lost" ? ["it is Lost"] : [],
      ...isGone && users.length > 0 ? [`it is gone while ${users.map(objectKey)} use it`] : [],
    ];
  }

  #ofVolume({ before, after, isGone }: Change<PersistentVolume>): readonly string[] {
    const { metadata, spec, status } = after;
    const owner = isSame(before, after) && before?.status?.phase === "Bound" ? before.spec?.claimRef?.uid : undefined;
    const uid = spec?.claimRef?.uid;
    const others = this.#volumes().filter((other) =>
      uid && other.spec?.claimRef?.uid === uid && other.metadata?.name !== metadata?.name
    );
    const isEnding = isGone || metadata?.deletionTimestamp !== undefined;
    const lacks = status?.phase === "Released" || status?.phase === "Failed" || isEnding;
    const claim = this.#claims().find((claim) =>
      claim.metadata?.uid === uid && claim.spec?.volumeName === metadata?.name
    );
    return [
      ...owner && owner !== uid ? [`it was ${owner}'s and is ${uid}'s`] : [],
      ...others.length > 0 ? [`claim ${uid} has ${others.map(objectKey)} too`] : [],
      ...lacks && claim
        ? [`it is ${isEnding ? "deleted" : status?.phase}, and ${objectKey(claim)} is bound to it`]
        : [],
      ...isEnding && spec?.persistentVolumeReclaimPolicy === "Retain" ? ["it is deleted and was to be kept"] : [],
    ];
  }

  #ofAttachment({ before, after, isGone }: Change<VolumeAttachment>): readonly string[] {
    const isNew = (isGone || after.metadata?.deletionTimestamp) && !before?.metadata?.deletionTimestamp;
    const mount = isNew && this.#mountOf(after);
    if (!mount || !this.#mounted.has(mount)) return [];
    return [`it is deleted while ${after.spec.nodeName} uses ${after.spec.source.persistentVolumeName}`];
  }

  /** A node mounts what is attached once it has said that it uses it and was told that it may, and until it says that it does not. */
  #seeMounts(): void {
    const nodes = this.#objects.get(NODES.plural)!;
    for (const mount of this.#mounted) {
      const [name, node] = mount.split(" ");
      if (!(nodes.get(node) as Node | undefined)?.status?.volumesInUse?.includes(name)) this.#mounted.delete(mount);
    }
    for (const attachment of this.#objects.get(VOLUMEATTACHMENTS.plural)!.values() as Iterable<VolumeAttachment>) {
      const mount = attachment.status?.attached && !attachment.metadata?.deletionTimestamp && this.#mountOf(attachment);
      if (!mount) continue;
      const { status } = nodes.get(attachment.spec.nodeName) as Node | undefined ?? {};
      const [unique] = mount.split(" ");
      const isReported = status?.volumesAttached?.some(({ name }) => name === unique);
      if (isReported && status?.volumesInUse?.includes(unique)) this.#mounted.add(mount);
    }
  }

  #mountOf({ spec: { source, nodeName } }: VolumeAttachment): string | undefined {
    const { csi } = this.#volumes().find(({ metadata }) => metadata?.name === source.persistentVolumeName)?.spec ?? {};
    return csi && `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle} ${nodeName}`;
  }

  #claims(): PersistentVolumeClaim[] {
    return [...this.#objects.get(PERSISTENTVOLUMECLAIMS.plural)!.values()];
  }

  #volumes(): PersistentVolume[] {
    return [...this.#objects.get(PERSISTENTVOLUMES.plural)!.values()];
  }

  #pods(): Pod[] {
    return [...this.#objects.get(PODS.plural)!.values()];
  }
}

interface Change<T> {
  readonly before: T | undefined;
  readonly after: T;
  readonly isGone: boolean;
}

function isSame(before: KubeObject | undefined, after: KubeObject): boolean {
  return before?.metadata?.uid === after.metadata?.uid;
}

function claimsOf({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

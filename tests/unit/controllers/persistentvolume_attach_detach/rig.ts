import { deepCopy, FakeWorld, MetricsRegistry, settle } from "../../../../src/base/mod.ts";
import {
  CSIDRIVERS,
  joinKey,
  type KubeObject,
  type Node,
  NODES,
  objectKey,
  type PersistentVolume,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type Resource,
  type VolumeAttachment,
  VOLUMEATTACHMENTS,
} from "../../../../src/api/mod.ts";
import { type DeletedFinalStateUnknown, type EventHandler, Indexer, Lister } from "../../../../src/cache/mod.ts";
import type { AttachOptions } from "../../../../src/controllers/persistentvolume_attach_detach/context.ts";
import { buildAttachDetach } from "../../../../src/controllers/persistentvolume_attach_detach/controller.ts";
import { attachmentName } from "../../../../src/controllers/volumes/mod.ts";
import { type DriverCall, DriverError, type VolumeDriver } from "../../../../src/controllers/mod.ts";
import { NO_JOURNAL } from "../context.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { statusError } from "../status_errors.ts";

export const DRIVER = "d.example";
const KEEPER = "external-attacher/d-example";
const KINDS: readonly Resource[] = [
  NODES,
  PODS,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  CSIDRIVERS,
  VOLUMEATTACHMENTS,
];
const OPTIONS: AttachOptions = { reconcilesNever: false, reconcilePeriodMs: 60_000, forceDetachesNever: false };

/** What a manager sees of a kind: what is on the server, at once. */
class Cache<T extends KubeObject> {
  readonly indexer: Indexer<T>;
  readonly lister: Lister<T>;
  readonly #handlers: EventHandler<T>[] = [];

  constructor(objects: readonly T[]) {
    this.indexer = new Indexer<T>();
    this.lister = new Lister(this.indexer);
    for (const object of objects) this.indexer.add(object);
  }

  addIndexers(indexers: Parameters<Indexer<T>["addIndexers"]>[0]): void {
    this.indexer.addIndexers(indexers);
  }

  hasIndexer(name: string): boolean {
    return this.indexer.hasIndexer(name);
  }

  get whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  addEventHandler(handler: EventHandler<T>) {
    this.#handlers.push(handler);
    for (const object of this.indexer.list()) handler.onAdd?.(object, true);
    return { hasSynced: true, whenSynced: Promise.resolve() };
  }

  put(object: T): void {
    const old = this.indexer.get(objectKey(object));
    this.indexer.add(object);
    for (const handler of this.#handlers) old ? handler.onUpdate?.(old, object) : handler.onAdd?.(object, false);
  }

  remove(object: T | DeletedFinalStateUnknown<T>, key: string): void {
    const stored = this.indexer.get(key);
    if (stored) this.indexer.delete(stored);
    for (const handler of this.#handlers) handler.onDelete?.(object);
  }
}

/** A manager of the rig, until it is killed. */
interface Manager {
  readonly caches: Map<string, Cache<KubeObject>>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly recorder: FakeRecorder;
  readonly metrics: MetricsRegistry;
}

/** The controller with an API server of maps, whose caches never lag; attachers and kubelets are the test. */
export class AttachRig implements AsyncDisposable {
  readonly world = new FakeWorld();
  /** `POST volumeattachments NAME`, in order. */
  readonly writes: string[] = [];
  /** Sees each write before it is done; what it throws is the answer. */
  onWrite: (text: string) => void = () => {};
  /** FlexVolume drivers that are there. */
  flexDrivers: VolumeDriver[] = [];
  /** What they were asked, in order: `VENDOR/NAME COMMAND ARGUMENTS`. */
  readonly driverCalls: string[] = [];
  /** How they answer; `undefined` if they do not support it. */
  onDriverCall: (call: string) => { device?: string; isAttached?: boolean } | undefined = () => ({ isAttached: true });
  readonly #objects = new Map<string, Map<string, KubeObject>>(KINDS.map(({ plural }) => [plural, new Map()]));
  readonly #options: Partial<AttachOptions>;
  #manager: Manager | undefined;
  #version = 1;

  constructor(options: Partial<AttachOptions> = {}) {
    this.#options = options;
  }

  get events(): string[] {
    return this.#manager?.recorder.lines ?? [];
  }

  get metrics(): string {
    return this.#manager!.metrics.render();
  }

  /** Starts a manager, in place of the one that ran. */
  async start(): Promise<void> {
    await this.kill();
    const { world } = this;
    const caches = new Map(KINDS.map((resource) => [resource.plural, new Cache(this.all(resource))]));
    const recorder = new FakeRecorder();
    const metrics = new MetricsRegistry();
    const stop = new AbortController();
    const context = {
      world,
      metrics,
      clients: { client: () => this.#client(stop.signal) },
      informers: { informer: ({ plural }: Resource) => caches.get(plural) },
      gates: new Set<string>(),
      journal: NO_JOURNAL,
      drivers: {
        find: () => Promise.resolve(this.flexDrivers),
        call: async ({ driver, command, args }: DriverCall, signal: AbortSignal) => {
          const text = [driver, command, ...args].join(" ");
          await Promise.resolve();
          signal.throwIfAborted();
          if (!this.flexDrivers.some(({ name }) => name === driver)) throw new DriverError("no such driver");
          this.driverCalls.push(text);
          const answer = this.onDriverCall(text);
          return answer && { device: "", isAttached: false, ...answer };
        },
      },
      recorder: () => ({
        event: (ref: { namespace?: string; name?: string }, type: string, reason: string, message: string) =>
          recorder.event({ metadata: { namespace: ref.namespace, name: ref.name } }, type, reason, message),
      }),
    };
    const controller = buildAttachDetach(
      context as unknown as Parameters<typeof buildAttachDetach>[0], // all that it uses
      { ...OPTIONS, ...this.#options },
    );
    this.#manager = { caches, stop, recorder, metrics, ended: controller.run(stop.signal) };
    await settle();
  }

  /** Ends the manager; nothing that it has begun reaches the server any more. */
  async kill(): Promise<void> {
    const manager = this.#manager;
    this.#manager = undefined;
    manager?.stop.abort();
    let isOver = !manager;
    manager?.ended.then(() => isOver = true);
    while (!isOver) await this.world.clock.advance(1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async advance(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
  }

  all<T extends KubeObject>({ plural }: Resource<T>): T[] {
    return [...this.#objects.get(plural)!.values()] as T[];
  }

  find<T extends KubeObject>({ plural }: Resource<T>, key: string): T | undefined {
    return this.#objects.get(plural)!.get(key) as T | undefined;
  }

  put<T extends KubeObject>({ plural }: Resource<T>, object: T): T {
    const metadata = {
      uid: `uid-${object.metadata?.name}`,
      ...object.metadata,
      resourceVersion: String(++this.#version),
    };
    const stored = { ...deepCopy(object), metadata };
    this.#objects.get(plural)!.set(objectKey(stored), stored);
    this.#manager?.caches.get(plural)?.put(stored);
    return stored;
  }

  remove({ plural }: Resource, key: string, how: (object: KubeObject) => unknown = (object) => object): void {
    const object = this.#objects.get(plural)!.get(key);
    if (!object) return;
    this.#objects.get(plural)!.delete(key);
    this.#manager?.caches.get(plural)?.remove(how(object) as KubeObject, key);
  }

  // ---- What users, kubelets and attachers do.

  node(name: string, { isReady = true, isManaged = true, inUse = [], attached = [], taints = [] }: {
    readonly isReady?: boolean;
    readonly isManaged?: boolean;
    readonly inUse?: readonly string[];
    readonly attached?: readonly string[];
    readonly taints?: readonly string[];
  } = {}): Node {
    const known = this.find(NODES, name);
    return this.put<Node>(NODES, {
      metadata: {
        name,
        annotations: isManaged ? { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } : {},
      },
      spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
      status: {
        conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }],
        volumesInUse: inUse.map(uniqueName),
        volumesAttached: known?.status?.volumesAttached ??
          attached.map((volume) => ({ name: uniqueName(volume), devicePath: "" })),
      },
    });
  }

  /** A claim of this name, and its volume. */
  claim(name: string, accessModes: string[] = ["ReadWriteOnce"], spec: PersistentVolume["spec"] = {}): void {
    const { metadata } = this.put(PERSISTENTVOLUMECLAIMS, {
      metadata: { namespace: "a", name },
      spec: { volumeName: name },
      status: { phase: "Bound" },
    });
    const source = Object.keys(spec).length > 0 ? spec : { csi: { driver: DRIVER, volumeHandle: name } };
    const claimRef = { namespace: "a", name, uid: metadata?.uid };
    this.put(PERSISTENTVOLUMES, { metadata: { name }, spec: { accessModes, claimRef, ...source } });
  }

  pod(name: string, nodeName: string, claims: readonly string[], { uid = `uid-${name}`, namespace = "a" } = {}): Pod {
    const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    return this.put<Pod>(PODS, { metadata: { namespace, name, uid }, spec: { containers: [], nodeName, volumes } });
  }

  attachment(volume: string, node: string): VolumeAttachment | undefined {
    return this.find(VOLUMEATTACHMENTS, attachmentOf(volume, node));
  }

  /** Lets the attacher say something about a VolumeAttachment that is there. */
  answer(volume: string, node: string, status: VolumeAttachment["status"]): void {
    const found = this.attachment(volume, node)!;
    this.put(VOLUMEATTACHMENTS, { ...found, metadata: { ...found.metadata, finalizers: [KEEPER] }, status });
  }

  /** Lets the attacher let go of a volume whose VolumeAttachment is to be deleted. */
  release(volume: string, node: string): void {
    if (this.attachment(volume, node)?.metadata?.deletionTimestamp) {
      this.remove(VOLUMEATTACHMENTS, attachmentOf(volume, node));
    }
  }

  reported(node: string): string[] {
    return this.find(NODES, node)?.status?.volumesAttached?.map(({ name }) => name.split("^")[1] ?? name).sort() ?? [];
  }

  // ---- What the manager sends.

  #client(signal: AbortSignal) {
    const send = async <R>(text: string, answer: () => R): Promise<R> => {
      await Promise.resolve();
      signal.throwIfAborted();
      if (!text.startsWith("GET ")) this.writes.push(text);
      this.onWrite(text);
      signal.throwIfAborted();
      return answer();
    };
    const existing = (resource: Resource, name: string) => {
      const found = this.find(resource, name);
      if (!found) throw statusError(404, "NotFound");
      return found;
    };
    return {
      get: (resource: Resource, { name }: { name: string }) =>
        send(`GET ${resource.plural} ${name}`, () => existing(resource, name)),
      create: (resource: Resource, object: KubeObject) =>
        send(`POST ${resource.plural} ${object.metadata?.name}`, () => {
          if (this.find(resource, objectKey(object))) throw statusError(409, "AlreadyExists");
          return this.put(resource, object);
        }),
      patch: (resource: Resource, { name }: { name: string }, { body }: { body: { status: Node["status"] } }) =>
        send(`PATCH ${resource.plural} ${name}`, () => {
          const found = existing(resource, name) as Node;
          const volumesAttached = body.status?.volumesAttached ?? undefined;
          return this.put(resource, { ...found, status: { ...found.status, volumesAttached } } as KubeObject);
        }),
      deleteAndRead: (resource: Resource, { name }: { name: string }) =>
        send(`DELETE ${resource.plural} ${name}`, () => {
          const found = existing(resource, joinKey(undefined, name));
          if (!found.metadata?.finalizers?.length) {
            this.remove(resource, name);
            return { metadata: {} };
          }
          const deletionTimestamp = found.metadata.deletionTimestamp ?? "2026-01-01T00:00:00Z";
          return this.put(resource, { ...found, metadata: { ...found.metadata, deletionTimestamp } });
        }),
    };
  }
}

export function uniqueName(volume: string): string {
  return volume.includes("/") ? volume : `kubernetes.io/csi/${DRIVER}^${volume}`;
}

export function attachmentOf(volume: string, nodeName: string): string {
  return attachmentName({ volumeHandle: volume, driver: DRIVER, nodeName });
}

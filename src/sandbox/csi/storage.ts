import {
  CSIDRIVERS,
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Resource,
  STORAGECLASSES,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import { whenAborted, type World } from "../../base/mod.ts";
import { type EventHandler, finalStateOf, InformerFactory, waitForCacheSync } from "../../cache/mod.ts";
import { type Client, isAlreadyExists, type ObjectRef } from "../../client/mod.ts";
import { SIMULATED_STORAGE_DRIVER, storageClassOf } from "../../rules/mod.ts";
import { DelayedActions, PlainEvents } from "../common/mod.ts";
import { followAttachment, releaseVolume } from "./attacher.ts";
import { indexAttachments, type StorageContext } from "./context.ts";
import { Operations } from "./operations.ts";
import type { Operation } from "./outcomes.ts";
import { provision } from "./provisioner.ts";
import { reclaim } from "./reclaimer.ts";
import { expand } from "./resizer.ts";

/** Options of {@link SimulatedStorage}; only the world and the client are required. */
export interface SimulatedStorageOptions {
  readonly world: World;
  readonly client: Client;
  /** Shared informers to use; by default it starts its own. */
  readonly informers?: InformerFactory;
  /** The driver's name. Default `storage.kubeloop.dev`. */
  readonly driver?: string;
  /** Whether volumes must be attached before use; an existing CSIDriver takes precedence. Default true. */
  readonly attachRequired?: boolean;
  /** Whether to write Events about claims and volumes. Default false. */
  readonly events?: boolean;
  /** How many objects are processed at the same time. Default 20. */
  readonly workers?: number;
}

/** Processes an object; resolves with when to check again, in milliseconds, if not only when it changes. */
type Part = (ref: ObjectRef, context: StorageContext) => Promise<number | undefined>;

const PARTS: Readonly<Record<string, Part>> = {
  provision,
  expand,
  reclaim,
  release: releaseVolume,
  attachment: followAttachment,
};

/**
 * A CSI driver without storage: acts on claims, volumes and attachments as external-provisioner, external-attacher and
 * external-resizer would. It is an ordinary client, and works with the embedded API server as with a real one.
 * Annotations make operations slow or fail (see {@link ANNOTATION_PREFIX}).
 *
 * Contract:
 * 1. A claim that names the driver's provisioner gets a volume; if its class waits for a consumer, once a node is
 *    selected.
 * 2. A volume of the driver is deleted once it is released, attached nowhere and not to be retained.
 * 3. An attachment of the driver is attached, and detached before it is deleted.
 * 4. A claim that requests more than it has gets a larger volume; its status says what its node must do about that.
 * 5. Failed operations are repeated, and slow ones do not delay others.
 * 6. Existing objects are adopted as they are.
 * 7. When `run` resolves, no timer and no request of it is left.
 *
 * Upstream: `kubernetes-csi/external-provisioner`, `external-attacher`, `external-resizer`.
 */
export class SimulatedStorage {
  readonly #options: SimulatedStorageOptions;
  readonly #informers: InformerFactory;
  readonly #operations: Operations;
  readonly #events: PlainEvents | undefined;
  readonly #actions: DelayedActions;
  readonly #context: StorageContext;
  readonly #stop = new AbortController();

  constructor(options: SimulatedStorageOptions) {
    this.#options = options;
    const { world, client, workers = 20, driver = SIMULATED_STORAGE_DRIVER } = options;
    const informers = this.#informers = options.informers ??
      new InformerFactory({ world, client, name: "simulated-storage" });
    const attachments = informers.informer(VOLUMEATTACHMENTS);
    indexAttachments(attachments);
    this.#operations = new Operations(world);
    this.#events = options.events ? new PlainEvents({ world, client, component: driver }) : undefined;
    this.#context = {
      world,
      client,
      driver,
      operations: this.#operations,
      claims: informers.informer(PERSISTENTVOLUMECLAIMS).lister,
      volumes: informers.informer(PERSISTENTVOLUMES).lister,
      classes: informers.informer(STORAGECLASSES).lister,
      attachments: attachments.lister,
      attachmentIndex: attachments.indexer,
      events: this.#events,
      signal: this.#stop.signal,
    };
    this.#actions = new DelayedActions({ world, workers, run: (key) => this.#act(key) });
  }

  /** The driver's name. */
  get driver(): string {
    return this.#context.driver;
  }

  /** Registers the driver and acts for it until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const handlers = this.#listen();
    this.#informers.start(signal);
    const registrations = handlers.map(({ registration }) => registration);
    if (await waitForCacheSync(signal, ...registrations)) {
      this.#actions.schedule("register//", 0);
      await whenAborted(signal);
    }
    this.#stop.abort();
    await Promise.all([this.#actions.close(), this.#events?.close()]);
    await Promise.all(handlers.map(({ remove }) => remove()));
    if (!this.#options.informers) await this.#informers.shutdown();
  }

  async #act(key: string): Promise<void> {
    const [part, namespace, name] = key.split("/");
    if (part === "register") return await this.#register();
    const ref = namespace ? { namespace, name } : { name };
    const againMs = await PARTS[part](ref, this.#context);
    if (againMs !== undefined) this.#actions.schedule(key, againMs);
  }

  async #register(): Promise<void> {
    const { client, attachRequired = true } = this.#options;
    const driver = {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { name: this.driver },
      spec: { attachRequired, podInfoOnMount: false, volumeLifecycleModes: ["Persistent"] },
    };
    await client.create(CSIDRIVERS, driver, { signal: this.#stop.signal }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  #listen() {
    return [
      this.#follow(PERSISTENTVOLUMECLAIMS, ["provision", "expand"], ["provision", "expand"]),
      this.#follow(PERSISTENTVOLUMES, ["reclaim", "release"], ["delete-volume"]),
      this.#follow(VOLUMEATTACHMENTS, ["attachment"], ["attach", "detach"], ({ spec }) => {
        // A volume may be waiting for its last detachment.
        const { persistentVolumeName } = spec.source;
        if (persistentVolumeName) this.#see(["reclaim", "release"], { metadata: { name: persistentVolumeName } });
      }),
      this.#followClasses(),
    ];
  }

  /** A claim may exist before its class. */
  #followClasses() {
    const { lister } = this.#informers.informer(PERSISTENTVOLUMECLAIMS);
    const informer = this.#informers.informer(STORAGECLASSES);
    const registration = informer.addEventHandler({
      onAdd: ({ metadata }) => {
        const claims = lister.list().filter((claim) => storageClassOf(claim) === metadata?.name);
        for (const claim of claims) this.#see(["provision"], claim);
      },
    });
    return { registration, remove: () => informer.removeEventHandler(registration) };
  }

  /** Runs `parts` when an object changes, and forgets `operations` when it is deleted. */
  #follow<T extends KubeObject>(
    resource: Resource<T>,
    parts: readonly string[],
    operations: readonly Operation[],
    onGone?: (object: T) => void,
  ) {
    const informer = this.#informers.informer(resource);
    const handler: EventHandler<T> = {
      onAdd: (object) => this.#see(parts, object),
      onUpdate: (old, object) => {
        if (old.metadata?.uid !== object.metadata?.uid) this.#operations.forget(old.metadata?.uid, ...operations);
        this.#see(parts, object);
      },
      onDelete: (deleted) => {
        const object = finalStateOf(deleted);
        if (!object) return;
        this.#operations.forget(object.metadata?.uid, ...operations);
        onGone?.(object);
      },
    };
    const registration = informer.addEventHandler(handler);
    return { registration, remove: () => informer.removeEventHandler(registration) };
  }

  #see(parts: readonly string[], { metadata }: KubeObject): void {
    for (const part of parts) this.#actions.schedule(`${part}/${metadata?.namespace ?? ""}/${metadata?.name}`, 0);
  }
}

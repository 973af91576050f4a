import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { Namespace } from "../../api/mod.ts";
import { type EventHandler, type HandlerOptions, type Syncing } from "../../cache/mod.ts";
import type { Discovery } from "../../client/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Controller, runController } from "../common/mod.ts";
import type { NamespaceClient } from "./actions.ts";
import { ContentDeletion } from "./content_deletion.ts";
import { requeueDelayMs } from "./estimates.ts";
import { NamespaceLimiter } from "./namespace_limiter.ts";
import { ResourceDeletion, type ResourceDeletionOptions } from "./resource_deletion.ts";
import { ContentRemainingError, syncNamespace } from "./sync.ts";
import type { UnsupportedOperations } from "./unsupported_operations.ts";

/** Before content goes, every API server must have had time to see that nothing may be created any more. */
const DELETION_GRACE_MS = 5000;

/** The part of the namespace informer that this controller uses. */
export interface NamespaceInformer {
  readonly lister: { get(namespace: string | undefined, name: string): Namespace | undefined };
  addEventHandler(handler: EventHandler<Namespace>, options?: HandlerOptions): Syncing;
}

export interface NamespaceControllerOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly client: NamespaceClient & ResourceDeletionOptions["client"];
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly unsupported: UnsupportedOperations;
  readonly namespaces: NamespaceInformer;
  readonly syncPeriodMs: number;
  readonly workers: number;
}

/**
 * Empties and finalizes namespaces that are being deleted. Keys are names of namespaces.
 * Upstream: `pkg/controller/namespace/namespace_controller.go`.
 */
export class NamespaceController implements Controller {
  readonly #options: NamespaceControllerOptions;
  readonly #content: ContentDeletion;
  readonly #limiter: NamespaceLimiter;
  readonly #queue: WorkQueue<string>;
  readonly #registration: Syncing;

  constructor(options: NamespaceControllerOptions) {
    this.#options = options;
    const { world, metrics, client, discovery, unsupported, namespaces, syncPeriodMs } = options;
    const resources = new ResourceDeletion({ clock: world.clock, client, unsupported });
    this.#content = new ContentDeletion({ world, client, discovery, resources });
    const limiter = this.#limiter = new NamespaceLimiter(world.clock);
    this.#queue = new WorkQueue<string>({ world, metrics, limiter, name: "namespace" });
    this.#registration = namespaces.addEventHandler({
      onAdd: (namespace) => this.#enqueue(namespace, "added"),
      onUpdate: (_old, namespace) => this.#enqueue(namespace, "updated"),
    }, { resyncPeriodMs: syncPeriodMs });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, workers } = this.#options;
    await runController({
      name: "namespace",
      world,
      queue: this.#queue,
      caches: [this.#registration],
      signal,
      workers,
      sync: (name) => this.#sync(name),
      onError: (name, error) => this.#onError(name, error),
    });
  }

  #enqueue(namespace: Namespace, what: "added" | "updated"): void {
    const { name = "", deletionTimestamp } = namespace.metadata ?? {};
    if (deletionTimestamp) this.#queue.addAfter(name, DELETION_GRACE_MS, cause("namespace", namespace, what));
  }

  async #sync(name: string): Promise<void> {
    const { client, namespaces } = this.#options;
    if (namespaces.lister.get(undefined, name)) await syncNamespace(name, { client, content: this.#content });
  }

  #onError(namespace: string, error: unknown): "retry" {
    const { log } = this.#options.world;
    if (error instanceof ContentRemainingError) {
      const delayMs = requeueDelayMs(error.estimateSeconds);
      log.verbose(4, "Content remaining in namespace", { namespace, waitSeconds: delayMs / 1000 });
      this.#limiter.expect(namespace, delayMs);
    } else {
      log.error("Deletion of namespace failed", { namespace, err: error });
    }
    return "retry";
  }
}

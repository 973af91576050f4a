import type { MetricsRegistry, World } from "../../base/mod.ts";
import { type ConfigMap, CONFIGMAPS, type Namespace, NAMESPACES, splitKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler, type Syncing } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerDescriptor, runController } from "../common/mod.ts";
import { publish, type PublisherClient } from "./actions.ts";
import { PublicationMetrics } from "./publication_metrics.ts";
import { ROOT_CA_CONFIG_MAP, rootCaAction } from "./sync.ts";

/** The part of a shared informer that this controller uses. */
export interface PublisherInformer<T> {
  readonly lister: { get(namespace: string | undefined, name: string): T | undefined };
  addEventHandler(handler: EventHandler<T>): Syncing;
}

export interface RootCaPublisherOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly client: PublisherClient;
  readonly namespaces: PublisherInformer<Namespace>;
  readonly configMaps: PublisherInformer<ConfigMap>;
  /** Published byte for byte. */
  readonly rootCaText: string;
}

/**
 * Keeps the ConfigMap `kube-root-ca.crt` in every namespace. Keys are names of namespaces.
 * Upstream: `pkg/controller/certificates/rootcacertpublisher/publisher.go`.
 */
export class RootCaPublisher implements Controller {
  readonly #options: RootCaPublisherOptions;
  readonly #queue: WorkQueue<string>;
  readonly #metrics: PublicationMetrics;
  readonly #configMapsSynced: Syncing;

  constructor(options: RootCaPublisherOptions) {
    this.#options = options;
    const { world, metrics, namespaces, configMaps } = options;
    this.#metrics = new PublicationMetrics(metrics);
    this.#queue = new WorkQueue<string>({ world, metrics, name: "root_ca_cert_publisher" });
    this.#configMapsSynced = configMaps.addEventHandler({
      onUpdate: (_old, configMap) => this.#configMapChanged(deletedKey(configMap), "ConfigMap updated"),
      onDelete: (configMap) => this.#configMapChanged(deletedKey(configMap), "ConfigMap deleted"),
    });
    namespaces.addEventHandler({
      onAdd: ({ metadata }) => this.#queue.add(metadata?.name ?? "", "namespace added"),
      onUpdate: (_old, { metadata, status }) => {
        if (status?.phase === "Active") this.#queue.add(metadata?.name ?? "", "namespace updated");
      },
    });
  }

  /** Waits for the ConfigMaps only: the cache of namespaces is never read. */
  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.#options;
    await runController({
      name: "root CA cert publisher",
      world,
      queue: this.#queue,
      caches: [this.#configMapsSynced],
      signal,
      workers: 1,
      sync: (name) => this.#measuredSync(name),
    });
  }

  #configMapChanged(key: string, cause: string): void {
    const { namespace, name } = splitKey(key);
    if (name === ROOT_CA_CONFIG_MAP) this.#queue.add(namespace, cause);
  }

  async #measuredSync(namespace: string): Promise<void> {
    const { clock } = this.#options.world;
    const startMs = clock.monotonicMs();
    let failure: unknown;
    try {
      await this.#sync(namespace);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#metrics.record(failure, clock.monotonicMs() - startMs);
    }
  }

  async #sync(namespace: string): Promise<void> {
    const { client, configMaps, rootCaText } = this.#options;
    const current = configMaps.lister.get(namespace, ROOT_CA_CONFIG_MAP);
    await publish(client, rootCaAction(current, namespace, rootCaText));
  }
}

/** Publishes the root CA in every namespace. */
export const ROOT_CA_PUBLISHER_CONTROLLER: ControllerDescriptor = {
  name: "root-ca-certificate-publisher-controller",
  build: (context) =>
    new RootCaPublisher({
      world: { ...context.world, log: context.world.log.named("root-ca-certificate-publisher-controller") },
      metrics: context.metrics,
      client: context.clients.client("root-ca-cert-publisher"),
      namespaces: context.informers.informer(NAMESPACES),
      configMaps: context.informers.informer(CONFIGMAPS),
      rootCaText: context.options.rootCaText,
    }),
};

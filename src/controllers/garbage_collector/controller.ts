import { type MetricsRegistry, TurnBudget, type World } from "../../base/mod.ts";
import { joinKey } from "../../api/mod.ts";
import { waitForCacheSync, waitForNamedCacheSync } from "../../cache/mod.ts";
import type { Discovery, RestMapper } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { runWorkers, WorkQueue } from "../../workqueue/mod.ts";
import { type DiscoveryLoop, type InformerSource, informerSource } from "../monitors/mod.ts";
import {
  announced,
  type Controller,
  type ControllerContext,
  type ControllerDebug,
  decideBy,
  type Journal,
  withTimeout,
} from "../running/mod.ts";
import { AbsentOwnerCache } from "./absent_owner_cache.ts";
import { ReferencePatches, reportInvalidNamespace } from "./actions.ts";
import { attemptToDelete, type DeleteContext, NotObservedError } from "./attempt_to_delete.ts";
import { attemptToOrphan } from "./attempt_to_orphan.ts";
import { collectableDiscovery } from "./discovery.ts";
import { Graph, type GraphView, type NodeView } from "./graph.ts";
import { GraphBuilder } from "./graph_builder.ts";
import type { GraphChange } from "./graph_change.ts";
import { GRAPHVIZ_CONTENT_TYPE, graphvizText } from "./graphviz.ts";
import { type Identity, identityText } from "./identity.ts";
import { type CachedObjects, LiveObjects, type MetadataClient, UnmappedKindError } from "./live_objects.ts";
import { type IndexedInformer, Monitors } from "./monitors.ts";

export const NAME = "garbage-collector-controller";
export const CLIENT_NAME = "generic-garbage-collector";
/** How long collection waits for the monitors at the start. */
const INITIAL_SYNC_TIMEOUT_MS = 30_000;
/** How long after that it waits for the monitor of a kind before it asks about objects that only references name. */
const MONITOR_PATIENCE_MS = 120_000;

/** @returns Nothing with `--enable-garbage-collector=false`. */
export function buildGarbageCollector(
  context: ControllerContext,
  { isEnabled, workers }: { readonly isEnabled: boolean; readonly workers: number },
): Controller | undefined {
  const { world, metrics, discovery, mapper, informersStarted, journal } = context;
  if (!isEnabled) return undefined;
  return new GarbageCollector({
    world,
    journal,
    metrics,
    client: context.clients.client(CLIENT_NAME, { qpsFactor: 2 }),
    discovery,
    mapper,
    informers: informerSource(context),
    informersStarted,
    recorder: context.recorder(NAME, CLIENT_NAME),
    workers,
  });
}

/** Options of {@link GarbageCollector}. */
export interface GarbageCollectorOptions {
  readonly world: World;
  readonly journal: Journal;
  readonly metrics: MetricsRegistry;
  readonly client: MetadataClient;
  readonly discovery: Pick<Discovery, "preferredResources">;
  readonly mapper: Pick<RestMapper, "resourceFor" | "reset">;
  readonly informers: InformerSource<IndexedInformer>;
  /** No informer may be started here before it resolves. */
  readonly informersStarted: Promise<void>;
  readonly recorder: EventRecorder;
  /** Workers for each of the two queues. */
  readonly workers: number;
}

/**
 * Deletes objects whose owners are gone, and holds owners until their dependents are deleted or orphaned.
 *
 * Monitors feed `graph changes`. Only the graph builder applies these to the graph; it fills `attempt to delete` and
 * `attempt to orphan`, whose workers ask the API server before they change anything.
 *
 * Upstream: `pkg/controller/garbagecollector`.
 */
export class GarbageCollector implements Controller {
  readonly #options: GarbageCollectorOptions;
  readonly #graph = new Graph();
  readonly #budget: TurnBudget;
  readonly #builder: GraphBuilder;
  readonly #changes: WorkQueue<GraphChange>;
  readonly #attemptToDelete: WorkQueue<NodeView>;
  readonly #attemptToOrphan: WorkQueue<NodeView>;
  readonly #monitors: Monitors;
  readonly #discovery: DiscoveryLoop;
  readonly #work: Omit<DeleteContext, "signal" | "isAwaited">;

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
    const { world, metrics, client, discovery, mapper, recorder } = options;
    const graph = this.#graph;
    const budget = this.#budget = new TurnBudget(world.clock);
    const absentOwners = new AbsentOwnerCache();
    const live = new LiveObjects({ client, mapper });
    const queue = <K>(name: string) => new WorkQueue<K>({ world, metrics, name: `garbage_collector_${name}` });
    this.#changes = queue<GraphChange>("graph_changes");
    this.#attemptToDelete = queue<NodeView>("attempt_to_delete");
    this.#attemptToOrphan = queue<NodeView>("attempt_to_orphan");
    this.#monitors = new Monitors({ source: options.informers, changes: this.#changes });
    this.#builder = new GraphBuilder({
      graph,
      absentOwners,
      attemptToDelete: this.#attemptToDelete,
      attemptToOrphan: this.#attemptToOrphan,
      onInvalidNamespace: (dependent, ownerUid) => reportInvalidNamespace(recorder, dependent, ownerUid),
    });
    const cached: CachedObjects = async (identity) => this.#monitors.cached(await live.resourceOf(identity), identity);
    this.#work = {
      world,
      graph,
      budget,
      live,
      cached,
      patches: new ReferencePatches({ live, cached }),
      absentOwners,
      attemptToDelete: this.#attemptToDelete,
      onAbsent: (identity) => this.#changes.add({ type: "virtualDelete", identity }, "not on the API server"),
    };
    const errors = metrics.counter({
      name: "garbagecollector_controller_resources_sync_error_total",
      help: "Number of garbage collector resources sync errors",
      stability: "ALPHA",
    });
    errors.inc([], 0);
    this.#discovery = collectableDiscovery({ world, discovery, mapper, monitors: this.#monitors, errors });
  }

  /** The graph of objects and their owners, for the debug endpoint. */
  get graph(): GraphView {
    return this.#graph;
  }

  /** `graph?uid=...`: the graph in DOT, around the objects with these uids if any are given. */
  readonly debug: ControllerDebug = (path, query) =>
    path === "graph"
      ? this.#budget.run(graphvizText(this.#graph, { uids: query.getAll("uid") }))
        .then((text) => ({ contentType: GRAPHVIZ_CONTENT_TYPE, text }))
      : undefined;

  run(signal: AbortSignal): Promise<void> {
    const { informersStarted, world: { log } } = this.#options;
    return announced({ log, name: NAME }, async () => {
      if (!await waitForCacheSync(signal, { whenSynced: informersStarted })) return;
      await Promise.all([this.#buildGraph(signal), this.#discovery.run(signal), this.#collect(signal)]);
    });
  }

  #buildGraph(signal: AbortSignal): Promise<void> {
    return runWorkers<GraphChange>(this.#changes, {
      workers: 1,
      world: this.#options.world,
      signal,
      sync: (change) => this.#budget.run(this.#builder.process(change)),
      onError: (change, error) => this.#onGraphError(change, error),
    });
  }

  async #collect(signal: AbortSignal): Promise<void> {
    await this.#initialSync(signal);
    const { world, journal, workers } = this.#options;
    const patientUntilMs = world.clock.monotonicMs() + MONITOR_PATIENCE_MS;
    const isAwaited = async (identity: Identity) =>
      world.clock.monotonicMs() < patientUntilMs &&
      this.#monitors.isAwaited(await this.#work.live.resourceOf(identity), identity);
    const context: DeleteContext = { ...this.#work, isAwaited, signal };
    const onError = decideBy<NodeView>((node, error) => this.#onError(node, error), { log: world.log, signal });
    const work = (queue: WorkQueue<NodeView>, attempt: (node: NodeView, context: DeleteContext) => Promise<void>) =>
      runWorkers<NodeView>(queue, {
        workers,
        world,
        signal,
        sync: (node) => attempt(node, context),
        onError,
        onSynced: ({ identity: { kind, namespace, name } }, record) =>
          journal.record({ controller: NAME, kind, key: joinKey(namespace, name), record }),
      });
    await Promise.all([work(this.#attemptToDelete, attemptToDelete), work(this.#attemptToOrphan, attemptToOrphan)]);
  }

  /**
   * Waits until the graph contains everything that existed at the start, but not for long: one broken API service must
   * not stop collection. An incomplete graph is safe for deletions, which ask the API server; for orphaning it would
   * miss dependents, hence the barrier behind all that the monitors have delivered.
   */
  async #initialSync(signal: AbortSignal): Promise<void> {
    const { world: { clock, log } } = this.#options;
    const limits = { clock, signal, timeoutMs: INITIAL_SYNC_TIMEOUT_MS };
    const monitors = { whenSynced: this.#discovery.firstSynced };
    const isSynced = await withTimeout(
      limits,
      (limit) => waitForNamedCacheSync({ log, name: NAME, signal: limit }, monitors),
    );
    if (signal.aborted) return;
    log.info(
      isSynced
        ? "Garbage collector: all resource monitors have synced"
        : "Garbage collector: not all resource monitors could be synced, proceeding anyways",
    );
    const barrier = Promise.withResolvers<void>();
    this.#changes.add({ type: "barrier", reached: barrier.resolve }, "start");
    if (await waitForCacheSync(signal, { whenSynced: barrier.promise })) log.info("Proceeding to collect garbage");
  }

  #onError({ identity }: NodeView, error: unknown): "retry" {
    const { log } = this.#options.world;
    const item = identityText(identity);
    if (error instanceof NotObservedError) log.verbose(5, error.message, { item });
    else if (error instanceof UnmappedKindError) log.verbose(5, "error syncing item", { err: error, item });
    else log.error("Error syncing item", { err: error, item });
    return "retry";
  }

  #onGraphError(change: GraphChange, error: unknown): "forget" {
    this.#options.world.log.error("Error processing graph change", { err: error, type: change.type });
    return "forget";
  }
}

import { Deferred, type MetricsRegistry, sleep, type World } from "../base/mod.ts";
import { type FrameSource, InformerFactory, type SetAsideBoard } from "../cache/mod.ts";
import { type ClientBuilder, Discovery, RestMapper } from "../client/mod.ts";
import type { ControllerContext, ControllerOptions, Journal, Supplies } from "../controllers/mod.ts";
import type { Topic } from "./hub/mod.ts";
import { Recorders } from "./recorders.ts";

/** Options of {@link SharedContext}. */
export interface SharedContextOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
  readonly controllerOptions: ControllerOptions;
  readonly supplies: Supplies;
  /** The source of informers' frames; by default their own Reflectors. */
  readonly source?: (topic: Topic) => FrameSource;
  /** Called once the caches of these informers are filled. */
  readonly onSynced?: () => void;
  /** Collects the objects that no informer can read. */
  readonly setAside?: SetAsideBoard;
  /** Records every sync of every controller. */
  readonly journal?: Journal;
  /** Informers replay their cache at an interval of one to two times this, in milliseconds. */
  readonly minResyncPeriodMs: number;
}

const NO_JOURNAL: Journal = { record: () => {} };

/** How often REST mappings are refreshed, so that new kinds are seen. */
const MAPPER_RESET_MS = 30_000;

/** The context that all controllers of a process are built with, and its background work until it is disposed. */
export class SharedContext implements AsyncDisposable {
  readonly #options: SharedContextOptions;
  readonly #stop = new AbortController();
  readonly #informersStarted = new Deferred();
  readonly #recorders: Recorders;
  readonly #background: Promise<void>[] = [];
  readonly context: ControllerContext;

  constructor(options: SharedContextOptions) {
    this.#options = options;
    const { world, metrics, clients, controllerOptions, supplies, journal = NO_JOURNAL } = options;
    this.#recorders = new Recorders({ world, metrics, clients });
    const discovery = new Discovery(clients.client("controller-discovery"));
    this.context = {
      program: controllerOptions.program,
      world,
      metrics,
      clients,
      informers: this.#informers("shared-informers", { name: controllerOptions.program }),
      metadataInformers: this.#informers("metadata-informers", { metadataOnly: true }),
      discovery,
      mapper: new RestMapper(discovery, world),
      informersStarted: this.#informersStarted.promise,
      gates: controllerOptions.gates,
      files: supplies.files,
      signer: supplies.signer,
      folders: supplies.folders,
      drivers: supplies.drivers,
      cloud: supplies.cloud,
      journal,
      recorder: (component, client = component) => this.#recorders.recorder(component, client),
    };
    this.#background.push(this.#resetMapper());
  }

  /** Starts the informers. */
  start(): void {
    const { informers, metadataInformers } = this.context;
    const { signal } = this.#stop;
    informers.start(signal);
    metadataInformers.start(signal);
    this.#informersStarted.resolve();
    this.#background.push(this.#reportSynced());
  }

  /** Ends informers and events. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { informers, metadataInformers } = this.context;
    this.#stop.abort();
    await Promise.all([
      ...this.#background,
      this.#recorders[Symbol.asyncDispose](),
      informers.shutdown(),
      metadataInformers.shutdown(),
    ]);
  }

  #informers(client: string, what: { readonly name?: string; readonly metadataOnly?: true }): InformerFactory {
    const { world, metrics, clients, controllerOptions, minResyncPeriodMs, source, setAside } = this.#options;
    const { metadataOnly } = what;
    return new InformerFactory({
      ...what,
      world,
      metrics,
      setAside,
      client: clients.client(client),
      resyncPeriodMs: minResyncPeriodMs * (1 + world.random.float()),
      watchList: controllerOptions.gates.has("WatchListClient"),
      source: source && ((resource, scope) => source({ ...scope, resource, metadataOnly })),
    });
  }

  async #reportSynced(): Promise<void> {
    const { informers, metadataInformers } = this.context;
    const { signal } = this.#stop;
    const synced = await Promise.all([informers.whenSynced(signal), metadataInformers.whenSynced(signal)]);
    if (synced.every((isSynced) => isSynced)) this.#options.onSynced?.();
  }

  async #resetMapper(): Promise<void> {
    while (await sleep(this.#options.world.clock, MAPPER_RESET_MS, this.#stop.signal)) this.context.mapper.reset();
  }
}

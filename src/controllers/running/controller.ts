import type { MetricsRegistry, World } from "../../base/mod.ts";
import type { InformerFactory } from "../../cache/mod.ts";
import type { ClientBuilder, Discovery, RestMapper } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { Host } from "./host.ts";
import type { Journal } from "./journal.ts";
import type { Supplies } from "./needs.ts";

/** A running part of the manager: watches, queues and workers of one controller. */
export interface Controller {
  /**
   * Waits for its caches, then works until `signal` aborts; resolves when its workers have ended. The manager starts
   * the informers once all controllers are built.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Its pages below `/debug/controllers/NAME/`, if any. */
  readonly debug?: ControllerDebug;
}

/** A controller's debug page. */
export interface DebugPage {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Serves a controller's debug pages.
 *
 * @param path Relative to the controller's own.
 * @returns `undefined` if there is no such page.
 */
export type ControllerDebug = (path: string, query: URLSearchParams) => Promise<DebugPage> | undefined;

/** What a controller is built from. Nothing in it has started while controllers are being built. */
export interface ControllerContext extends Supplies {
  /** The program that runs it, as metrics name it. */
  readonly program: Host;
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
  /** Full objects, one informer per resource in the whole process. */
  readonly informers: InformerFactory;
  /** Metadata only, for resources that no controller reads in full. */
  readonly metadataInformers: InformerFactory;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** Resolves once the factories were started after all controllers were built. */
  readonly informersStarted: Promise<void>;
  /** Names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>;
  /** Records every sync. */
  readonly journal: Journal;
  /**
   * A recorder whose events name `component` as their source. The client named `client`, by default also `component`,
   * sends them.
   */
  recorder(component: string, client?: string): EventRecorder;
}

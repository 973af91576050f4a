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
   * Waits for its caches, then works until `signal` aborts; resolves when its workers have ended.
   * The informers are started by the manager after every controller was built.
   */
  run(signal: AbortSignal): Promise<void>;
  /** What it shows of itself below `/debug/controllers/NAME/`, if anything. */
  readonly debug?: ControllerDebug;
}

/** What a controller shows of itself. */
export interface DebugPage {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Answers a question about a controller's inside.
 *
 * @param path Below the controller's own.
 * @returns `undefined` where there is nothing.
 */
export type ControllerDebug = (path: string, query: URLSearchParams) => Promise<DebugPage> | undefined;

/** What a controller is built from. Nothing in here is started yet while controllers are being built. */
export interface ControllerContext extends Supplies {
  /** The program that runs it, as metrics name it. */
  readonly program: Host;
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
  /** Full objects, one informer per resource in the whole process. */
  readonly informers: InformerFactory;
  /** Metadata only, for resources that nobody reads in full. */
  readonly metadataInformers: InformerFactory;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** Resolves once the factories were started after all controllers were built. */
  readonly informersStarted: Promise<void>;
  /** Names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>;
  /** Hears of every sync. */
  readonly journal: Journal;
  /**
   * A recorder whose events carry `component` as their source, and are sent by the client called `client`, the controller's
   * own; by default they have the same name.
   */
  recorder(component: string, client?: string): EventRecorder;
}

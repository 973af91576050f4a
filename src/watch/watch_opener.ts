import { groupResource, type Resource } from "../api/mod.ts";
import type { World } from "../base/mod.ts";
import { Connection } from "./connection.ts";
import { EventSifter } from "./event_sifter.ts";
import { JsonFrameScanner } from "./json_frame_scanner.ts";
import type { ListWatch, WatchQuery } from "./list_watch.ts";
import { WatchStream } from "./watch_stream.ts";

/** The shortest watch duration. */
const MIN_WATCH_TIMEOUT_MS = 300_000;
/** How long after its end time a watch is closed if the server does not. */
const OVERDUE_MS = 30_000;

/** Options of {@link WatchOpener}. */
export interface WatchOpenerOptions {
  readonly world: World;
  readonly resource: Resource;
  readonly listWatch: ListWatch;
  readonly metadataOnly?: boolean;
  readonly minWatchTimeoutMs?: number;
  readonly maxFrameBytes?: number;
  /** How long a watch may be silent, in milliseconds. */
  readonly idleMs: number;
  readonly onProgress: () => void;
  /** Called for each skipped event. */
  readonly onSkip: () => void;
}

/**
 * Sends the watch requests of a reflector.
 *
 * Contract:
 * 1. Each is asked to last from 5 to 10 minutes, at random, so that watches opened together do not end together.
 * 2. It is cut when it has been silent for `idleMs`.
 * 3. It is cut when the server did not close it half a minute after its time.
 */
export class WatchOpener {
  readonly #options: WatchOpenerOptions;

  constructor(options: WatchOpenerOptions) {
    this.#options = options;
  }

  /**
   * Opens a watch from `resourceVersion`, or from wherever the server chooses if that is empty.
   *
   * @throws {NoProgressError} If the answer does not begin within `idleMs`.
   * @throws What the request rejects with, or the reason of `signal` if that aborts first.
   */
  async open(
    { resourceVersion, sendInitialEvents }: Pick<WatchQuery, "sendInitialEvents"> & {
      readonly resourceVersion: string;
    },
    signal: AbortSignal,
  ): Promise<WatchStream> {
    const { world, resource, listWatch, idleMs, onProgress } = this.#options;
    const { metadataOnly = false, minWatchTimeoutMs = 0, maxFrameBytes, onSkip } = this.#options;
    const { clock } = world;
    const startedMs = clock.monotonicMs();
    const shortestMs = Math.max(minWatchTimeoutMs, MIN_WATCH_TIMEOUT_MS);
    const timeoutSeconds = Math.floor(shortestMs / 1000 * (1 + world.random.float()));
    const query: WatchQuery = {
      resourceVersion: resourceVersion || undefined,
      timeoutSeconds,
      ...(sendInitialEvents && { sendInitialEvents }),
    };
    const connection = await Connection.open((signal) => listWatch.watch(query, signal), {
      clock,
      signal,
      idleMs,
      lifetimeMs: timeoutSeconds * 1000 + OVERDUE_MS,
      onProgress,
    });
    const name = groupResource(resource);
    return new WatchStream({
      connection,
      scanner: new JsonFrameScanner({ resource: name, maxFrameBytes }),
      sifter: new EventSifter({ resource, metadataOnly, log: world.log.named("reflector"), onSkip }),
      clock,
      resource: name,
      startedMs,
      isOrdered: resourceVersion !== "" && resourceVersion !== "0",
    });
  }
}

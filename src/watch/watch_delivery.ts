import { type Clock, type Logger, type Timer, unlessAborted, type World } from "../base/mod.ts";
import { groupResource, type Resource } from "../api/mod.ts";
import type { FrameSink } from "./frame_sink.ts";
import type { ReadPosition } from "./read_position.ts";
import type { StreamEnd, WatchStream } from "./watch_stream.ts";

/** How gathering ended. */
export type GatheringEnd = StreamEnd | { readonly what: "committed"; readonly resourceVersion: string };

/** Where a stream's events go. */
export interface DeliveryOptions {
  readonly sink: FrameSink;
  /** Ends the waiting for the sink. */
  readonly signal: AbortSignal;
}

/** Whose events are gathered, for the log. */
export interface GatheringOptions extends DeliveryOptions {
  readonly world: World;
  readonly resource: Resource;
}

/**
 * Gathers the events with which a streaming list begins into a sink, which sees them only when they are complete, as of the
 * bookmark that ends them. The stream is then a live watch.
 *
 * @throws What makes the sink fail; the reason of `signal` when that aborts during a call of the sink.
 */
export async function gather(
  stream: WatchStream,
  { world: { clock, log }, resource, sink, signal }: GatheringOptions,
): Promise<GatheringEnd> {
  const replacement = sink.beginReplace();
  using warning = new SilenceWarning({ clock, log: log.named("reflector"), name: groupResource(resource) });
  let isCommitted = false;
  try {
    while (!signal.aborted) {
      const step = await stream.next();
      warning.event();
      switch (step.what) {
        case "objects": {
          const wait = replacement.events(step.frames);
          if (wait) await unlessAborted(wait, signal);
          break;
        }
        case "bookmark": {
          if (!step.endsInitialEvents) break;
          const { resourceVersion } = step;
          const wait = replacement.commit(resourceVersion);
          if (wait) await unlessAborted(wait, signal);
          isCommitted = true;
          stream.becomeLive();
          return { what: "committed", resourceVersion };
        }
        default:
          return step;
      }
    }
    return { what: "stopped" };
  } finally {
    if (!isCommitted) replacement.abort();
  }
}

/**
 * Hands over to a sink what a live watch brings until it ends, and says how it did. The position moves on when the sink has
 * taken an event or a bookmark, not before.
 *
 * @throws What makes the sink fail; the reason of `signal` when that aborts during a call of the sink.
 */
export async function follow(
  stream: WatchStream,
  { sink, signal, position }: DeliveryOptions & { readonly position: ReadPosition },
): Promise<StreamEnd> {
  while (!signal.aborted) {
    const step = await stream.next();
    switch (step.what) {
      case "objects": {
        const wait = sink.events(step.frames);
        if (wait) await unlessAborted(wait, signal);
        position.advanced(stream, step.frames);
        break;
      }
      case "bookmark": {
        const wait = sink.bookmark(step.resourceVersion);
        if (wait) await unlessAborted(wait, signal);
        position.bookmarked(stream, step.resourceVersion);
        break;
      }
      default:
        return step;
    }
  }
  return { what: "stopped" };
}

const WARNING_PERIOD_MS = 10_000;

/**
 * Warns every ten seconds without an event while a streaming list waits for the bookmark that ends its initial events: a
 * server or proxy that does not know it would otherwise leave a cache empty without a word.
 * Upstream: `k8s.io/client-go/tools/cache/reflector.go` (initialEventsEndBookmarkTicker).
 */
class SilenceWarning implements Disposable {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #name: string;
  readonly #startedMs: number;
  #eventMs: number | undefined;
  #timer: Timer;

  constructor({ clock, log, name }: { readonly clock: Clock; readonly log: Logger; readonly name: string }) {
    this.#clock = clock;
    this.#log = log;
    this.#name = name;
    this.#startedMs = clock.monotonicMs();
    this.#timer = clock.setTimer(WARNING_PERIOD_MS, this.#tick);
  }

  /** To be called for each event. */
  event(): void {
    this.#eventMs = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  readonly #tick = (): void => {
    const silentMs = this.#clock.monotonicMs() - (this.#eventMs ?? this.#startedMs);
    if (silentMs >= WARNING_PERIOD_MS) {
      const seconds = `${Math.round(silentMs / 1000)}s`;
      const what = this.#eventMs === undefined
        ? `awaiting required bookmark event for initial events stream, no events received for ${seconds}`
        : "hasn't received required bookmark event marking the end of initial events stream, " +
          `received last event ${seconds} ago`;
      this.#log.warn("event bookmark expired", { err: `${this.#name}: ${what}` });
    }
    this.#timer = this.#clock.setTimer(WARNING_PERIOD_MS, this.#tick);
  };
}

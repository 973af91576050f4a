import { type Clock, type Logger, type Timer, unlessAborted, type World } from "../base/mod.ts";
import { groupResource, type Resource } from "../api/mod.ts";
import type { WatchFrame } from "./frame.ts";
import type { FrameSink } from "./frame_sink.ts";
import type { ReadPosition } from "./read_position.ts";
import type { StreamEnd, WatchStream } from "./watch_stream.ts";

/** How collecting ended. */
export type GatheringEnd =
  | StreamEnd
  | { readonly what: "committed"; readonly resourceVersion: string }
  /** There are more objects than wanted; nothing was committed. */
  | { readonly what: "long" };

/** The destination of a stream's events. */
export interface DeliveryOptions {
  readonly sink: FrameSink;
  /** Cancels waiting for the sink. */
  readonly signal: AbortSignal;
}

export interface GatheringOptions extends DeliveryOptions {
  readonly world: World;
  /** For the log. */
  readonly resource: Resource;
  /** The most objects to collect. Default: no limit. */
  readonly mostObjects?: number;
}

/**
 * Collects a streaming list's initial events into a sink, which commits them at the bookmark that ends them. The stream
 * is then a live watch.
 *
 * @throws The sink's error; the reason of `signal` if that aborts during a call of the sink.
 */
export async function gather(
  stream: WatchStream,
  { world: { clock, log }, resource, sink, signal, mostObjects = Infinity }: GatheringOptions,
): Promise<GatheringEnd> {
  const replacement = sink.beginReplace();
  using warning = new SilenceWarning({ clock, log: log.named("reflector"), name: groupResource(resource) });
  const collected = new FrameCollection();
  let objects = 0;
  let isCommitted = false;
  try {
    while (!signal.aborted) {
      const step = await stream.next();
      warning.event();
      switch (step.what) {
        case "objects": {
          objects += step.frames.length;
          if (objects > mostObjects) return { what: "long" };
          const frames = collected.add(step.frames);
          const wait = frames && replacement.events(frames);
          if (wait) await unlessAborted(wait, signal);
          break;
        }
        case "bookmark": {
          if (!step.endsInitialEvents) break;
          const { resourceVersion } = step;
          const rest = collected.takeAll();
          const taken = rest.length > 0 ? replacement.events(rest) : undefined;
          if (taken) await unlessAborted(taken, signal);
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
 * Passes a live watch's events to a sink until it ends, and returns how it ended. The position advances when the sink
 * has accepted an event or bookmark, not before.
 *
 * @throws The sink's error; the reason of `signal` if that aborts during a call of the sink.
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

/** How much is collected before it is passed on. */
const COLLECTED_BYTES = 64 * 1024;

/** Collects initial events, each of which arrives alone: what is done once for all of them costs as much as for one. */
class FrameCollection {
  #frames: WatchFrame[] = [];
  #bytes = 0;

  /** Returns all frames collected once they are many. */
  add(frames: readonly WatchFrame[]): readonly WatchFrame[] | undefined {
    for (const frame of frames) {
      this.#frames.push(frame);
      this.#bytes += frame.bytes.length;
    }
    return this.#bytes < COLLECTED_BYTES ? undefined : this.takeAll();
  }

  takeAll(): readonly WatchFrame[] {
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    return frames;
  }
}

const WARNING_PERIOD_MS = 10_000;

/**
 * Warns every ten seconds without an event while a streaming list waits for the bookmark that ends its initial events:
 * with a server or proxy that does not send it, the cache would otherwise stay empty without a hint.
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

  /** Call it for each event. */
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

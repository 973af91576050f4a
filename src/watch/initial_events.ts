import type { World } from "../base/mod.ts";
import type { FrameSink } from "./frame_sink.ts";
import { SilenceWarning } from "./silence_warning.ts";
import type { SinkGate } from "./sink_gate.ts";
import type { StreamEnd, WatchStream } from "./watch_stream.ts";

/** What an {@link InitialEvents} is made of. */
export interface InitialEventsOptions {
  readonly world: World;
  /** Whose events they are, for the log. */
  readonly resource: string;
  readonly sink: FrameSink;
  readonly gate: SinkGate;
}

/** How gathering ended. */
export type GatheringEnd = StreamEnd | { readonly what: "committed"; readonly resourceVersion: string };

/**
 * Gathers the events with which a streaming list begins into a sink.
 *
 * Contract:
 * 1. The sink sees them only when they are complete, as of the bookmark that ends them; the stream is then a live watch.
 */
export class InitialEvents {
  readonly #options: InitialEventsOptions;

  constructor(options: InitialEventsOptions) {
    this.#options = options;
  }

  /** @throws What makes the sink fail; the reason of `signal` when that aborts during a call of the sink. */
  async gather(stream: WatchStream, signal: AbortSignal): Promise<GatheringEnd> {
    const { world: { clock, log }, resource, sink, gate } = this.#options;
    const replacement = sink.beginReplace();
    using warning = new SilenceWarning({ clock, log: log.named("reflector"), name: resource });
    let isCommitted = false;
    try {
      while (!signal.aborted) {
        const step = await stream.next();
        warning.event();
        switch (step.what) {
          case "objects":
            await gate.call(() => replacement.events(step.frames), signal);
            break;
          case "bookmark": {
            if (!step.endsInitialEvents) break;
            const { resourceVersion } = step;
            await gate.call(() => replacement.commit(resourceVersion), signal);
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
}

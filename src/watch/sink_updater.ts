import type { Clock } from "../base/mod.ts";
import type { FrameSink } from "./frame_sink.ts";
import type { ReadPosition } from "./read_position.ts";
import { ResyncTimer } from "./resync_timer.ts";
import type { SinkGate } from "./sink_gate.ts";
import type { StreamEnd, WatchStream } from "./watch_stream.ts";

/** What a {@link SinkUpdater} is made of. */
export interface SinkUpdaterOptions {
  readonly clock: Clock;
  readonly sink: FrameSink;
  readonly gate: SinkGate;
  /** Moved on by what the sink has taken. */
  readonly position: ReadPosition;
  /** 0 is never. */
  readonly resyncPeriodMs?: number;
  readonly shouldResync?: () => boolean;
  /** Ends the waiting for the sink. */
  readonly signal: AbortSignal;
}

/** How a watch ended that was followed. */
export type FollowingEnd = Exclude<StreamEnd, { readonly what: "interrupted" }>;

/**
 * Keeps a sink that holds a list up to date: with the events of watches, and now and then with a resync.
 *
 * Contract:
 * 1. The position moves on when the sink has taken an event or a bookmark, not before.
 * 2. Resyncs come from start to stop, across watches; they wait for the sink like everything else.
 * 3. A failed resync counts as a failure of the watch that is open, or else of the next one.
 */
export class SinkUpdater {
  readonly #options: SinkUpdaterOptions;
  readonly #resync: ResyncTimer;
  #stream: WatchStream | undefined;
  #failedResync: { readonly error: unknown } | undefined;

  constructor(options: SinkUpdaterOptions) {
    this.#options = options;
    this.#resync = new ResyncTimer({
      clock: options.clock,
      periodMs: options.resyncPeriodMs ?? 0,
      onDue: () => this.#onResyncDue(),
    });
  }

  /** The sink has taken a list. Resyncs go on if they were not stopped. */
  startResyncs(): void {
    this.#failedResync = undefined;
    this.#resync.start();
  }

  stopResyncs(): void {
    this.#resync.stop();
  }

  /**
   * Hands over what `stream` brings until it ends, and says how it did.
   *
   * @throws What makes the sink fail, in a resync too; the reason of `signal` when that aborts during a call of the sink.
   */
  async follow(stream: WatchStream): Promise<FollowingEnd> {
    const { sink, gate, position, signal } = this.#options;
    this.#stream = stream;
    try {
      while (!signal.aborted) {
        if (this.#failedResync) throw this.#failedResync.error;
        const step = await stream.next();
        switch (step.what) {
          case "objects": {
            const wait = gate.call(() => sink.events(step.frames), signal);
            if (wait) await wait;
            position.advanced(stream, step.frames);
            break;
          }
          case "bookmark": {
            const wait = gate.call(() => sink.bookmark(step.resourceVersion), signal);
            if (wait) await wait;
            position.bookmarked(stream, step.resourceVersion);
            break;
          }
          case "interrupted":
            throw step.error;
          default:
            return step;
        }
      }
      return { what: "stopped" };
    } finally {
      this.#stream = undefined;
    }
  }

  async #onResyncDue(): Promise<void> {
    const { sink, gate, shouldResync, signal } = this.#options;
    try {
      if (shouldResync?.() ?? true) await gate.call(() => sink.resync(), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#failedResync = { error };
      this.#stream?.interrupt(error);
    }
  }
}

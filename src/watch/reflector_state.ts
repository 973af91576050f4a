import type { WatchStream } from "./watch_stream.ts";

/**
 * Not running yet. `run` leads to {@link Connecting} for a streaming list, or to {@link Listing} where that is switched
 * off.
 */
export interface Idle {
  readonly name: "idle";
}

/**
 * A watch request was sent and its answer has not begun.
 *
 * For a streaming list (`sendInitialEvents`):
 * - answered: {@link StreamingList}
 * - connection refused, or lost before the answer, or 429: {@link BackingOff}, then the same again
 * - resourceVersion expired or too large: the same again without one, at once
 * - any other error, or no answer in time: {@link Listing}, at once
 *
 * For a watch from the last resourceVersion:
 * - answered: {@link Watching}
 * - connection refused, or lost before the answer, 429, or no answer in time: {@link BackingOff}, then the same again
 * - any other error: {@link BackingOff}, then a new list
 */
export interface Connecting {
  readonly name: "connecting";
  readonly purpose: "streaming-list" | "watch";
}

/**
 * The initial objects arrive as events and are collected in a private store.
 *
 * - the bookmark that ends them: the store is committed, {@link Watching} on the same stream
 * - more than 500 objects: {@link Listing}, at once, unless such a list of this resource has failed
 * - closed before: {@link Connecting} for another streaming list, at once
 * - an ERROR event or a very short stream: as an error of {@link Connecting}
 * - silence, bytes that cannot be decoded, an error of the sink: {@link Listing}, at once
 */
export interface StreamingList {
  readonly name: "streaming-list";
  readonly stream: WatchStream;
}

/**
 * A paged LIST is being read.
 *
 * - complete: committed, {@link Connecting} for a watch
 * - resourceVersion expired or too large: once more without one, at once
 * - any other error, silence, an error of the sink: {@link BackingOff}, then a new list
 */
export interface Listing {
  readonly name: "listing";
}

/**
 * Events go to the sink as they arrive.
 *
 * - closed by the server, or the connection broke: {@link Connecting} for a watch, at once
 * - silent past the progress deadline, or open long past its time: cut, {@link Connecting} for a watch, at once
 * - ERROR 429: {@link BackingOff}, then {@link Connecting} for a watch
 * - any other ERROR event, a very short watch, bytes that cannot be decoded, an error of the sink: {@link BackingOff},
 *   then a new list at least as new as the last resourceVersion
 */
export interface Watching {
  readonly name: "watching";
  readonly stream: WatchStream;
}

/**
 * Waiting. After `delayMs`: {@link next}; sooner if the server could not be reached and can be again. "At once" above
 * becomes this state when it happens too often.
 */
export interface BackingOff {
  readonly name: "backing-off";
  readonly delayMs: number;
  /** Whether it waits for the server to return. */
  readonly isServerAway: boolean;
  readonly next: Connecting | Listing;
}

/** The signal of `run` was aborted, in any of the other states. The end. */
export interface Stopped {
  readonly name: "stopped";
}

/** What a Reflector is doing. */
export type ReflectorState = Idle | Connecting | StreamingList | Listing | Watching | BackingOff | Stopped;

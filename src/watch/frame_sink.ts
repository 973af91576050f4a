import type { WatchFrame } from "./frame.ts";

/**
 * The destination of a Reflector's frames: a cache, or a hub that sends them to other threads.
 *
 * Contract:
 * 1. Calls come one at a time: a returned promise is waited for before the next call and before more bytes are read.
 * 2. A method that throws or rejects with a `FrameError` ends the stream; after a backoff the resource is listed anew,
 *    so that nothing is lost. Any other error of `events` and `bookmark` is treated the same way.
 * 3. `events` gets ADDED, MODIFIED and DELETED frames of the reflector's kind, in the server's order, and only those.
 */
export interface FrameSink {
  /**
   * A private store for a re-list; nothing of it is visible before `commit`. An earlier uncommitted one is discarded.
   */
  beginReplace(): Replacement;
  events(frames: readonly WatchFrame[]): void | Promise<void>;
  /** The watch has reached `resourceVersion` without further events. */
  bookmark(resourceVersion: string): void | Promise<void>;
}

/**
 * Collects the objects of a LIST, or of a watch's initial events, until they are complete.
 *
 * Contract:
 * 1. LIST items (`type` is empty) and ADDED/MODIFIED/DELETED events come in order; a later one of a key wins.
 * 2. It ends with `commit` or `abort`; `abort` also follows a `commit` that failed, and a stop while one is pending.
 */
export interface Replacement {
  events(frames: readonly WatchFrame[]): void | Promise<void>;
  /** Makes the gathered objects the whole content of the store in one step, as of `resourceVersion`. */
  commit(resourceVersion: string): void | Promise<void>;
  abort(): void;
}

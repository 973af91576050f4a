import { type Clock, Deferred, sleep } from "../../base/mod.ts";
import type { WatchFrame } from "../../watch/mod.ts";
import { packFrames, packMetadata } from "./frame_batch.ts";
import type { HubMessage, Poster } from "./messages.ts";

/**
 * What a subscription currently receives.
 *
 * - `waiting`: nothing, until its topic begins a replacement, or is live and it can join.
 * - `replacing`: the replacement of the topic.
 * - `joining`: a list of its own, while the topic's events are kept for it.
 * - `live`: the topic's events.
 * - `lagging`: nothing, until it has worked off what it got.
 */
export type SubscriptionState = "waiting" | "replacing" | "joining" | "live" | "lagging";

/** A subscriber that has taken nothing for so long may be stuck; a collection of all its garbage takes less. */
const PATIENCE_MS = 5_000;

/** One that takes 32 MiB no faster would hold up the others' list for ever, little by little. */
const MOST_WAIT_MS = 30_000;

/** How many bytes may be in flight to one subscription. */
const MOST_OUTSTANDING_BYTES = 64 * 1024 * 1024;

/**
 * One subscriber of one topic, as the hub sees it.
 *
 * Contract:
 * 1. Frames are refused while more than 64 MiB are under way.
 * 2. `whenWorkedOff` resolves once half of that or less is under way.
 * 3. `makesRoom` waits for that as long as the subscriber takes something every five seconds, but not longer than
 *    thirty.
 */
export class Subscription {
  /** The subscriber. */
  readonly group: string;
  state: SubscriptionState = "waiting";
  /** Cancels its own list. */
  join: AbortController | undefined;
  /** The resourceVersion of the list that it joined with, until the topic has caught up. */
  aheadAt: string | undefined;
  readonly #stream: number;
  readonly #port: Poster<HubMessage>;
  readonly #pack: typeof packFrames;
  #outstandingBytes = 0;
  #doneBytes = 0;
  #workedOff: Deferred | undefined;

  constructor(
    port: Poster<HubMessage>,
    { group, stream, isMetadataOnly }: {
      readonly group: string;
      readonly stream: number;
      readonly isMetadataOnly: boolean;
    },
  ) {
    this.#port = port;
    this.group = group;
    this.#stream = stream;
    this.#pack = isMetadataOnly ? packMetadata : packFrames;
  }

  get hasRoom(): boolean {
    return this.#outstandingBytes <= MOST_OUTSTANDING_BYTES / 2;
  }

  /** Resolves when there is room again. */
  whenWorkedOff(): Promise<void> {
    if (this.hasRoom) return Promise.resolve();
    this.#workedOff ??= new Deferred();
    return this.#workedOff.promise;
  }

  /** Waits for room, until `signal` aborts; returns whether there is any. */
  async makesRoom(clock: Clock, signal: AbortSignal): Promise<boolean> {
    const endMs = clock.monotonicMs() + MOST_WAIT_MS;
    let before = -1;
    while (!this.hasRoom && before !== this.#doneBytes && clock.monotonicMs() < endMs && !signal.aborted) {
      before = this.#doneBytes;
      const waited = new AbortController();
      await Promise.race([this.whenWorkedOff(), sleep(clock, PATIENCE_MS, AbortSignal.any([signal, waited.signal]))]);
      waited.abort();
    }
    return this.hasRoom;
  }

  /** Records that the subscriber processed this many bytes. */
  done(bytes: number): void {
    this.#outstandingBytes -= bytes;
    this.#doneBytes += bytes;
    if (this.hasRoom) this.#stopWaiting();
  }

  /** The subscriber has left: nobody waits for it any longer. */
  end(): void {
    this.state = "waiting";
    this.join?.abort();
    this.#stopWaiting();
  }

  begin(): void {
    this.#port.postMessage({ stream: this.#stream, what: "begin" });
  }

  /**
   * Sends frames, or the parts of them that the subscriber reads.
   *
   * @returns Whether they were sent.
   */
  frames(frames: readonly WatchFrame[], isReplacement: boolean): boolean {
    if (this.#outstandingBytes > MOST_OUTSTANDING_BYTES) return false;
    const batch = this.#pack(frames);
    this.#outstandingBytes += batch.bytes.byteLength;
    const buffers = [batch.bytes, batch.marks.buffer];
    this.#port.postMessage({ stream: this.#stream, what: "frames", batch, isReplacement }, buffers);
    return true;
  }

  commit(resourceVersion: string): void {
    this.#port.postMessage({ stream: this.#stream, what: "commit", resourceVersion });
  }

  bookmark(resourceVersion: string): void {
    this.#port.postMessage({ stream: this.#stream, what: "bookmark", resourceVersion });
  }

  #stopWaiting(): void {
    this.#workedOff?.resolve();
    this.#workedOff = undefined;
  }
}

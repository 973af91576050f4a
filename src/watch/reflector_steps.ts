import { groupResource } from "../api/mod.ts";
import { Backoff, type Clock, sleep } from "../base/mod.ts";
import { connectionFailureOf, isTooManyRequests, type ServerOutages } from "../client/mod.ts";
import { NoProgressError } from "./connection.ts";
import { FrameError } from "./frame.ts";
import { type ListResult, PagedList } from "./paged_list.ts";
import type { ReadPosition } from "./read_position.ts";
import { ReflectorLog } from "./reflector_log.ts";
import type { ReflectorMetrics, RelistReason, RestartReason } from "./reflector_metrics.ts";
import type { ReflectorOptions } from "./reflector_options.ts";
import type { BackingOff, Connecting, Listing, ReflectorState, StreamingList, Watching } from "./reflector_state.ts";
import {
  isRetriable,
  isUnusableResourceVersion,
  mayBlameResourceVersion,
  VeryShortWatchError,
} from "./watch_errors.ts";
import { WatchOpener } from "./watch_opener.ts";
import { follow, gather, type GatheringEnd } from "./watch_delivery.ts";
import type { StreamEnd } from "./watch_stream.ts";

/** Upstream's reflector waits like this between all attempts. */
const BACKOFF = { initialMs: 800, capMs: 30_000, factor: 2, jitter: 1, resetMs: 120_000 } as const;
/** How often a retry may skip this wait; see {@link RetryTokens}. */
const RETRY_CAPACITY = 3;
const RETRY_REFILL_MS = 10_000;
/** After an outage, all waiting reflectors retry within this time, at random moments. */
const RETURN_SPREAD_MS = 1_000;
/** A streaming list of more objects is given up for a LIST; reading so many twice costs little. */
const LONG_LIST = 500;
/** A watch is closed after this long a silence. The server sends a bookmark about every minute. */
export const PROGRESS_DEADLINE_MS = 180_000;

const WATCH: Connecting = { name: "connecting", purpose: "watch" };
const STREAMING_LIST: Connecting = { name: "connecting", purpose: "streaming-list" };
const LIST: Listing = { name: "listing" };

/** What a reflector passes to its {@link ReflectorSteps} besides its options. */
export interface ReflectorStepsOptions {
  /** Ends everything in progress. */
  readonly signal: AbortSignal;
  readonly position: ReadPosition;
  readonly metrics: ReflectorMetrics;
  /** Called whenever the server sends something. */
  readonly onProgress: () => void;
}

/** Implements the states and transitions of {@link ReflectorState}. The holder of a state closes its stream. */
export class ReflectorSteps {
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #position: ReadPosition;
  readonly #log: ReflectorLog;
  readonly #metrics: ReflectorMetrics;
  readonly #backoff: Backoff;
  readonly #tokens: RetryTokens;
  readonly #watches: WatchOpener;
  readonly #pagedList: PagedList;
  /**
   * How a long list is read next: after a LIST that failed, perhaps by the server's time limit, it is streamed to its
   * end.
   */
  #longListAs: "list" | "stream" = "list";
  /** Whether a streaming list was given up because it was long. */
  #isLong = false;
  /** Whether the last request that failed found no server. */
  #wasServerAway = false;

  constructor(options: ReflectorOptions, { signal, position, metrics, onProgress }: ReflectorStepsOptions) {
    const { world, progressDeadlineMs: idleMs = PROGRESS_DEADLINE_MS } = options;
    const resource = groupResource(options.resource);
    // Shared by all parts; each takes the fields that it knows.
    const common = { ...options, clock: world.clock, idleMs, onProgress };
    this.#options = options;
    this.#clock = world.clock;
    this.#signal = signal;
    this.#position = position;
    this.#metrics = metrics;
    this.#log = new ReflectorLog({ world, resource, onError: options.onError });
    this.#backoff = new Backoff(world, BACKOFF);
    this.#tokens = new RetryTokens(world.clock);
    this.#watches = new WatchOpener({ ...common, onSkip: () => metrics.skippedFrame() });
    this.#pagedList = new PagedList(common);
  }

  /** The state to begin with. */
  first(): ReflectorState {
    return this.#listAgain("start");
  }

  /** Performs `state` and returns the next one. */
  next(state: ReflectorState): Promise<ReflectorState> | ReflectorState {
    switch (state.name) {
      case "connecting":
        return state.purpose === "watch" ? this.#connectWatch() : this.#connectStreamingList();
      case "streaming-list":
        return this.#gather(state);
      case "listing":
        return this.#list();
      case "watching":
        return this.#watch(state);
      case "backing-off":
        return this.#wait(state);
      case "idle":
      case "stopped":
        return state;
    }
  }

  async #wait({ delayMs, isServerAway, next }: BackingOff): Promise<ReflectorState> {
    const { outages } = this.#options.listWatch;
    const leftMs = outages && isServerAway ? await this.#waitForServer(outages, delayMs) : delayMs;
    await sleep(this.#clock, leftMs, this.#signal);
    return next;
  }

  /** Waits for the end of the outage, at most for `delayMs`; returns how long to wait after that. */
  async #waitForServer(outages: ServerOutages, delayMs: number): Promise<number> {
    const end = new AbortController();
    const stopListening = outages.onEnd(() => end.abort());
    const untilMs = this.#clock.monotonicMs() + delayMs;
    try {
      await sleep(this.#clock, delayMs, AbortSignal.any([this.#signal, end.signal]));
    } finally {
      stopListening();
    }
    const leftMs = untilMs - this.#clock.monotonicMs();
    if (!end.signal.aborted || leftMs <= 0 || !this.#tokens.take()) return Math.max(0, leftMs);
    return Math.min(leftMs, this.#options.world.random.float() * RETURN_SPREAD_MS);
  }

  // Streaming list

  async #connectStreamingList(): Promise<ReflectorState> {
    const query = { resourceVersion: this.#position.streamingListFrom, sendInitialEvents: true } as const;
    try {
      return { name: "streaming-list", stream: await this.#watches.open(query, this.#signal) };
    } catch (error) {
      return this.#streamingListFailed(error);
    }
  }

  async #gather({ stream }: StreamingList): Promise<ReflectorState> {
    let end: GatheringEnd;
    try {
      const mostObjects = this.#longListAs === "list" ? LONG_LIST : undefined;
      end = await gather(stream, { ...this.#options, signal: this.#signal, mostObjects });
    } catch (error) {
      return this.#streamingListFailed(error);
    }
    switch (end.what) {
      case "committed":
        this.#longListAs = "list";
        this.#position.listed(end.resourceVersion);
        this.#log.populated(end.resourceVersion);
        return { name: "watching", stream };
      case "long":
        this.#isLong = true;
        return this.#listAgain("long");
      case "closed":
        return this.#atOnce(this.#listAgain("incomplete"));
      case "silent":
        return this.#streamingListFailed(new NoProgressError("the streaming list fell silent"));
      case "failed":
        return this.#streamingListFailed(end.error);
      case "stopped":
        return { name: "stopped" };
    }
  }

  #streamingListFailed(error: unknown): ReflectorState {
    if (this.#signal.aborted) return { name: "stopped" };
    if (isRetriable(error)) return this.#backOff(STREAMING_LIST, error);
    if (isUnusableResourceVersion(error)) {
      this.#position.refused();
      return this.#atOnce(this.#listAgain("resource-version"));
    }
    this.#log.fellBackToList(error);
    this.#countFrameError(error);
    this.#metrics.relisted("fallback");
    return LIST;
  }

  // Paged list

  async #list(): Promise<ReflectorState> {
    const { pageSize } = this.#options;
    const plan = this.#isLong ? this.#position.consistentListPlan(pageSize) : this.#position.listPlan(pageSize);
    try {
      let result: ListResult;
      try {
        result = await this.#pagedList.read(plan, this.#signal);
      } catch (error) {
        if (plan.resourceVersion === "" || !mayBlameResourceVersion(error)) throw error;
        this.#position.refused();
        this.#metrics.relisted("resource-version");
        result = await this.#pagedList.read({ ...plan, resourceVersion: "" }, this.#signal);
      }
      this.#position.listedBy(plan, result);
      this.#log.populated(this.#position.resourceVersion);
      return WATCH;
    } catch (error) {
      if (this.#signal.aborted) return { name: "stopped" };
      if (this.#isLong) this.#longListAs = "stream";
      this.#log.failed("failed to list", error);
      return this.#pause(this.#listAgain(this.#countFrameError(error) ? "frame-error" : "list-error"), error);
    }
  }

  // Watch

  async #connectWatch(): Promise<ReflectorState> {
    const { resourceVersion } = this.#position;
    try {
      return { name: "watching", stream: await this.#watches.open({ resourceVersion }, this.#signal) };
    } catch (error) {
      if (isRetriable(error)) return this.#backOff(this.#resume("refused"), error);
      if (error instanceof NoProgressError) return this.#backOff(this.#resume("silent"), error);
      if (!this.#signal.aborted) this.#log.failed("failed to watch", error);
      return this.#pause(this.#listAgain("watch-error"), error);
    }
  }

  async #watch({ stream }: Watching): Promise<ReflectorState> {
    let end: StreamEnd;
    try {
      end = await follow(stream, { sink: this.#options.sink, position: this.#position, signal: this.#signal });
    } catch (error) {
      return this.#watchFailed(error, "sink-error");
    }
    switch (end.what) {
      case "closed":
        if (end.insideFrame) this.#log.closedInsideFrame(end.error);
        return this.#atOnce(this.#resume("closed"));
      case "silent":
        this.#log.watchFellSilent();
        return this.#atOnce(this.#resume("silent"));
      case "failed":
        return this.#watchFailed(
          end.error,
          end.error instanceof VeryShortWatchError ? "very-short-watch" : "watch-error",
        );
      case "stopped":
        return { name: "stopped" };
    }
  }

  #watchFailed(error: unknown, reason: RelistReason): ReflectorState {
    if (this.#signal.aborted) return { name: "stopped" };
    if (isTooManyRequests(error)) return this.#backOff(this.#resume("refused"), error);
    this.#log.watchEnded(error);
    return this.#backOff(this.#listAgain(this.#countFrameError(error) ? "frame-error" : reason));
  }

  // What the phases share

  /** Starts over with a streaming or paged list. */
  #listAgain(reason: RelistReason): Connecting | Listing {
    this.#metrics.relisted(reason);
    const isStreamed = this.#options.watchList ?? true;
    return isStreamed && !(this.#isLong && this.#longListAs === "list") ? STREAMING_LIST : LIST;
  }

  #resume(reason: RestartReason): Connecting {
    this.#metrics.restarted(reason);
    return WATCH;
  }

  /** @param error The cause, if it has not been reported yet. */
  #backOff(next: Connecting | Listing, error?: unknown): BackingOff {
    if (error !== undefined && !this.#signal.aborted) this.#log.backingOff(error);
    return this.#pause(next, error);
  }

  #pause(next: Connecting | Listing, error: unknown): BackingOff {
    const isServerAway = connectionFailureOf(error) !== undefined;
    if (this.#wasServerAway && !isServerAway && this.#tokens.take()) this.#backoff.reset();
    this.#wasServerAway = isServerAway;
    return { name: "backing-off", delayMs: this.#backoff.nextMs(), isServerAway, next };
  }

  #atOnce(next: Connecting | Listing): ReflectorState {
    return this.#tokens.take() ? next : this.#backOff(next);
  }

  #countFrameError(error: unknown): boolean {
    if (!(error instanceof FrameError)) return false;
    this.#metrics.frameError();
    return true;
  }
}

/**
 * Decides whether a request may be repeated without waiting. While a server ends each stream at once, upstream repeats
 * without limit; this allows a burst, then one repetition every ten seconds, and the others back off first.
 */
class RetryTokens {
  readonly #clock: Clock;
  #tokens = RETRY_CAPACITY;
  #countedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.monotonicMs();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(RETRY_CAPACITY, this.#tokens + (nowMs - this.#countedMs) / RETRY_REFILL_MS);
    this.#countedMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

import { groupResource } from "../api/mod.ts";
import { Backoff, type Logger, sleep, type World } from "../base/mod.ts";
import { isTooManyRequests, StatusError } from "../client/mod.ts";
import { Connection, NoProgressError } from "./connection.ts";
import { EventSifter } from "./event_sifter.ts";
import { FrameError } from "./frame.ts";
import { JsonFrameScanner } from "./json_frame_scanner.ts";
import { type ListResult, PagedList } from "./paged_list.ts";
import { ReadPosition } from "./read_position.ts";
import { ReflectorMetrics, type RelistReason, type RestartReason } from "./reflector_metrics.ts";
import type { ReflectorOptions } from "./reflector_options.ts";
import type { BackingOff, Connecting, Listing, ReflectorState, StreamingList, Watching } from "./reflector_state.ts";
import { ResyncTimer } from "./resync_timer.ts";
import { RetryTokens } from "./retry_tokens.ts";
import { SilenceWarning } from "./silence_warning.ts";
import { SinkGate } from "./sink_gate.ts";
import * as errors from "./watch_errors.ts";
import { WatchStream } from "./watch_stream.ts";

/** Upstream's reflector waits like this between attempts, of whatever kind. */
const BACKOFF = { initialMs: 800, capMs: 30_000, factor: 2, jitter: 1, resetMs: 120_000 } as const;
const MIN_WATCH_TIMEOUT_MS = 300_000;
/** After so long a silence a watch is cut. The server sends a bookmark about every minute. */
export const PROGRESS_DEADLINE_MS = 180_000;
/** How long after its time a watch is cut that the server did not close. */
const OVERDUE_MS = 30_000;
const VERY_SHORT_MS = 1000;

const WATCH: Connecting = { name: "connecting", purpose: "watch" };
const STREAMING_LIST: Connecting = { name: "connecting", purpose: "streaming-list" };
const LIST: Listing = { name: "listing" };

/**
 * Keeps a sink up to date with a resource on the API server: lists it, watches it, and goes on whatever happens.
 *
 * Contract:
 * 1. The sink gets each list as one replacement, then every event since, in the server's order; what it may miss in between
 *    is made good by the next list.
 * 2. A watch that the server closes is resumed at once from the last resourceVersion, without a list.
 * 3. The last resourceVersion is that of the last list, event or bookmark that the sink has taken; the unordered events with
 *    which a watch from resourceVersion "" or "0" begins do not count.
 * 4. After an error the resource is listed again, at least as new as the last resourceVersion; without one only once the
 *    server has called that expired or too large.
 * 5. Objects of another kind are skipped. A frame that cannot be decoded ends its stream; a list makes good what was lost.
 * 6. A stream that falls silent is cut and resumed; `stalenessMs` says for how long the server has said nothing.
 * 7. Whatever the server does, requests follow each other at once only a few times; then there is a backoff of 0.8 s,
 *    doubling up to 30 s, each plus up to as much again.
 * 8. Only bookmarks and errors are parsed, never an object.
 * 9. When `signal` aborts, `run` resolves; no timer, request or listener is left, and the sink is not called any more.
 *
 * {@link ReflectorState} says what leads from where to where.
 * Upstream: `k8s.io/client-go/tools/cache/reflector.go`.
 *
 * @example
 * ```ts
 * import { type FrameSink, Reflector } from "./mod.ts";
 * import { PODS } from "../api/mod.ts";
 * import { FakeWorld } from "../base/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const stop = new AbortController();
 * const never = () => new Promise<ReadableStream<Uint8Array>>(() => {});
 * const list = new Blob(['{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]}']);
 * const sink: FrameSink = {
 *   beginReplace: () => ({ events() {}, commit: () => stop.abort(), abort() {} }),
 *   events() {},
 *   bookmark() {},
 *   resync() {},
 * };
 * const listWatch = { list: () => Promise.resolve(list.stream()), watch: never };
 * const reflector = new Reflector({ world: new FakeWorld(), resource: PODS, listWatch, sink, watchList: false });
 * await reflector.run(stop.signal);
 * assertEquals(reflector.state.name, "stopped");
 * ```
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #world: World;
  readonly #log: Logger;
  readonly #resourceName: string;
  readonly #backoff: Backoff;
  readonly #tokens: RetryTokens;
  readonly #gate = new SinkGate();
  readonly #position = new ReadPosition();
  readonly #metrics: ReflectorMetrics;
  readonly #pagedList: PagedList;
  readonly #resync: ResyncTimer;
  readonly #idleMs: number;
  #signal: AbortSignal = AbortSignal.abort();
  #state: ReflectorState = { name: "idle" };
  #progressMs: number;
  /** What a resync failed with; ends the watch phase. */
  #resyncError: unknown;

  constructor(options: ReflectorOptions) {
    const { world, resource, listWatch, sink, maxFrameBytes, metrics, name = "kubeloop" } = options;
    this.#options = options;
    this.#world = world;
    this.#log = world.log.named("reflector");
    this.#resourceName = groupResource(resource);
    this.#backoff = new Backoff(world, BACKOFF);
    this.#tokens = new RetryTokens(world.clock);
    this.#idleMs = options.progressDeadlineMs ?? PROGRESS_DEADLINE_MS;
    this.#progressMs = world.clock.monotonicMs();
    this.#metrics = new ReflectorMetrics({ registry: metrics, name, resource, stalenessMs: () => this.stalenessMs });
    this.#pagedList = new PagedList({
      clock: world.clock,
      resource,
      listWatch,
      sink,
      gate: this.#gate,
      idleMs: this.#idleMs,
      maxFrameBytes,
      onProgress: this.#onProgress,
    });
    this.#resync = new ResyncTimer({
      clock: world.clock,
      periodMs: options.resyncPeriodMs ?? 0,
      onDue: () => this.#onResyncDue(),
    });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Where a watch would continue; empty before the first list. */
  get lastResourceVersion(): string {
    return this.#position.resourceVersion;
  }

  /** Milliseconds since the server last sent anything about the resource. */
  get stalenessMs(): number {
    return this.#world.clock.monotonicMs() - this.#progressMs;
  }

  /**
   * Runs until `signal` aborts. To be called once.
   *
   * @throws {TypeError} If the reflector was run before.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state.name !== "idle") {
      throw new TypeError(`Cannot run the reflector of ${this.#resourceName} again: it is ${this.#state.name}`);
    }
    this.#signal = signal;
    this.#onProgress();
    this.#metrics.started();
    try {
      this.#state = this.#listAgain("start");
      while (!signal.aborted) this.#state = await this.#step(this.#state);
    } finally {
      if ("stream" in this.#state) this.#state.stream.close();
      this.#resync.stop();
      this.#metrics.stopped();
      this.#state = { name: "stopped" };
    }
  }

  /** Does what `state` is about and returns the state that it leads to. */
  #step(state: ReflectorState): Promise<ReflectorState> | ReflectorState {
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

  async #wait(state: BackingOff): Promise<ReflectorState> {
    await sleep(this.#world.clock, state.delayMs, this.#signal);
    return state.next;
  }

  // Streaming list

  async #connectStreamingList(): Promise<ReflectorState> {
    try {
      return { name: "streaming-list", stream: await this.#open(this.#position.streamingListFrom, true) };
    } catch (error) {
      return this.#streamingListFailed(error);
    }
  }

  #streamingListFailed(error: unknown): ReflectorState {
    if (this.#signal.aborted) return { name: "stopped" };
    if (errors.isRetriable(error)) return this.#backOff(STREAMING_LIST, error);
    if (errors.isUnusableResourceVersion(error)) {
      this.#position.refused();
      return this.#atOnce(this.#listAgain("resource-version"));
    }
    const message = "The watchlist request ended with an error, falling back to the standard LIST/WATCH semantics";
    const fields = { type: this.#resourceName, err: error };
    const isUsual = error instanceof StatusError || error instanceof errors.VeryShortWatchError;
    if (isUsual) this.#log.verbose(4, message, fields);
    else this.#log.warn(message, fields);
    this.#countFrameError(error);
    this.#metrics.relisted("fallback");
    return LIST;
  }

  async #gather({ stream }: StreamingList): Promise<ReflectorState> {
    const replacement = this.#options.sink.beginReplace();
    const { clock } = this.#world;
    using warning = new SilenceWarning({ clock, log: this.#log, name: this.#resourceName });
    let isCommitted = false;
    try {
      while (!this.#signal.aborted) {
        const step = await stream.next();
        warning.event();
        switch (step.what) {
          case "objects":
            await this.#gate.call(() => replacement.events(step.frames), this.#signal);
            break;
          case "bookmark":
            if (!step.endsInitialEvents) break;
            await this.#gate.call(() => replacement.commit(step.resourceVersion), this.#signal);
            isCommitted = true;
            stream.isOrdered = true;
            stream.startedMs = clock.monotonicMs();
            stream.events = 0;
            this.#position.listed(step.resourceVersion);
            this.#populated();
            return { name: "watching", stream };
          case "failed":
            return this.#streamingListFailed(step.error);
          case "silent":
            return this.#streamingListFailed(new NoProgressError("the streaming list fell silent"));
          case "closed":
            if (this.#isVeryShort(stream)) return this.#streamingListFailed(this.#veryShort());
            return this.#atOnce(this.#listAgain("incomplete"));
          case "stopped":
            return { name: "stopped" };
        }
      }
      return { name: "stopped" };
    } catch (error) {
      return this.#streamingListFailed(error);
    } finally {
      if (!isCommitted) {
        stream.close();
        replacement.abort();
      }
    }
  }

  // Paged list

  async #list(): Promise<ReflectorState> {
    const plan = this.#position.listPlan(this.#options.pageSize);
    try {
      let result: ListResult;
      try {
        result = await this.#pagedList.read(plan, this.#signal);
      } catch (error) {
        if (!errors.isUnusableResourceVersion(error)) throw error;
        this.#position.refused();
        this.#metrics.relisted("resource-version");
        result = await this.#pagedList.read({ ...plan, resourceVersion: "" }, this.#signal);
      }
      this.#position.listedBy(plan, result);
      this.#populated();
      return WATCH;
    } catch (error) {
      if (this.#signal.aborted) return { name: "stopped" };
      this.#countFrameError(error);
      this.#onError(error, "failed to list");
      return this.#backOff(this.#listAgain(error instanceof FrameError ? "frame-error" : "list-error"));
    }
  }

  #populated(): void {
    const { resourceVersion } = this.#position;
    this.#log.verbose(2, "Caches populated", { type: this.#resourceName, resourceVersion });
    this.#resyncError = undefined;
    this.#resync.start();
  }

  // Watch

  async #connectWatch(): Promise<ReflectorState> {
    try {
      return { name: "watching", stream: await this.#open(this.#position.resourceVersion, false) };
    } catch (error) {
      if (errors.isRetriable(error)) return this.#backOff(this.#resume("refused"), error);
      if (error instanceof NoProgressError) return this.#backOff(this.#resume("silent"), error);
      if (!this.#signal.aborted) this.#onError(error, "failed to watch");
      return this.#backOff(this.#listAgain("watch-error"));
    }
  }

  async #watch({ stream }: Watching): Promise<ReflectorState> {
    try {
      while (!this.#signal.aborted) {
        if (this.#resyncError !== undefined) return this.#watchFailed(this.#resyncError, "sink-error");
        const step = await stream.next();
        switch (step.what) {
          case "objects": {
            const wait = this.#gate.call(() => this.#options.sink.events(step.frames), this.#signal);
            if (wait) await wait;
            this.#position.advanced(stream, step.frames);
            break;
          }
          case "bookmark": {
            const wait = this.#gate.call(() => this.#options.sink.bookmark(step.resourceVersion), this.#signal);
            if (wait) await wait;
            this.#position.bookmarked(stream, step.resourceVersion);
            break;
          }
          case "failed":
            return this.#watchFailed(step.error);
          case "silent":
            this.#log.warn("Cut a watch that fell silent; resuming it", { type: this.#resourceName });
            return this.#atOnce(this.#resume("silent"));
          case "closed":
            if (this.#isVeryShort(stream)) return this.#watchFailed(this.#veryShort());
            if (step.insideFrame) {
              this.#log.verbose(1, "Watch closed with unexpected EOF", { type: this.#resourceName, err: step.error });
            }
            return this.#atOnce(this.#resume("closed"));
          case "stopped":
            return { name: "stopped" };
        }
      }
      return { name: "stopped" };
    } catch (error) {
      return this.#watchFailed(error, "sink-error");
    } finally {
      stream.close();
    }
  }

  #watchFailed(error: unknown, reason: RelistReason = "watch-error"): ReflectorState {
    if (this.#signal.aborted) return { name: "stopped" };
    if (isTooManyRequests(error)) return this.#backOff(this.#resume("refused"), error);
    if (this.#countFrameError(error)) reason = "frame-error";
    else if (error instanceof errors.VeryShortWatchError) reason = "very-short-watch";
    const fields = { type: this.#resourceName, err: error instanceof FrameError ? errors.decodeFailure(error) : error };
    if (errors.isExpiredOrGone(error)) this.#log.verbose(4, "Watch closed", fields);
    else this.#log.warn("Warning: watch ended with error", fields);
    return this.#backOff(this.#listAgain(reason));
  }

  async #onResyncDue(): Promise<void> {
    try {
      if (this.#options.shouldResync?.() ?? true) {
        await this.#gate.call(() => this.#options.sink.resync(), this.#signal);
      }
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#resyncError = error;
      if (this.#state.name === "watching") this.#state.stream.interrupt(error);
    }
  }

  // What the phases share

  async #open(resourceVersion: string, sendInitialEvents: boolean): Promise<WatchStream> {
    const { clock, random } = this.#world;
    const { resource, listWatch, metadataOnly = false, minWatchTimeoutMs = 0, maxFrameBytes } = this.#options;
    const startedMs = clock.monotonicMs();
    const shortestMs = Math.max(minWatchTimeoutMs, MIN_WATCH_TIMEOUT_MS);
    const timeoutSeconds = Math.floor(shortestMs / 1000 * (1 + random.float()));
    const query = {
      resourceVersion: resourceVersion || undefined,
      timeoutSeconds,
      ...(sendInitialEvents && { sendInitialEvents } as const),
    };
    const connection = await Connection.open((signal) => listWatch.watch(query, signal), {
      clock,
      signal: this.#signal,
      idleMs: this.#idleMs,
      lifetimeMs: timeoutSeconds * 1000 + OVERDUE_MS,
      onProgress: this.#onProgress,
    });
    return new WatchStream({
      connection,
      scanner: new JsonFrameScanner({ resource: this.#resourceName, maxFrameBytes }),
      sifter: new EventSifter({ resource, metadataOnly, log: this.#log, onSkip: () => this.#metrics.skippedFrame() }),
      startedMs,
      isOrdered: resourceVersion !== "" && resourceVersion !== "0",
    });
  }

  readonly #onProgress = (): void => {
    this.#progressMs = this.#world.clock.monotonicMs();
  };

  /** The beginning of everything: a list of one kind or the other. */
  #listAgain(reason: RelistReason): Connecting | Listing {
    this.#resync.stop();
    this.#metrics.relisted(reason);
    return this.#options.watchList ?? true ? STREAMING_LIST : LIST;
  }

  #resume(reason: RestartReason): Connecting {
    this.#metrics.restarted(reason);
    return WATCH;
  }

  /** @param error What leads here, if nobody has told of it yet: quietly, since a server that restarts refuses us all. */
  #backOff(next: Connecting | Listing, error?: unknown): BackingOff {
    if (error !== undefined && !this.#signal.aborted) {
      this.#log.verbose(4, "Watch failed - backing off", { type: this.#resourceName, err: error });
    }
    return { name: "backing-off", delayMs: this.#backoff.nextMs(), next };
  }

  #atOnce(next: Connecting | Listing): ReflectorState {
    return this.#tokens.take() ? next : this.#backOff(next);
  }

  #isVeryShort(stream: WatchStream): boolean {
    return stream.events === 0 && this.#world.clock.monotonicMs() - stream.startedMs < VERY_SHORT_MS;
  }

  #veryShort(): errors.VeryShortWatchError {
    return new errors.VeryShortWatchError(this.#resourceName);
  }

  #countFrameError(error: unknown): boolean {
    if (!(error instanceof FrameError)) return false;
    this.#metrics.frameError();
    return true;
  }

  #onError(error: unknown, what: string): void {
    if (this.#options.onError) return this.#options.onError(error);
    const fields = { type: this.#resourceName, err: error };
    if (errors.isExpiredOrGone(error)) {
      this.#log.verbose(4, `${what}: resourceVersion expired`, fields);
    } else {
      const err = new Error(`${what} ${this.#resourceName}: ${error}`, { cause: error });
      this.#log.error("Failed to watch", { ...fields, err });
    }
  }
}

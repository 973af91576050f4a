import { compareResourceVersions } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { FrameSource } from "../../cache/mod.ts";
import type { FrameSink, Replacement, WatchFrame } from "../../watch/mod.ts";
import { JoinSink } from "./join_sink.ts";
import type { Subscription } from "./subscription.ts";

/** Options of {@link TopicFeed}. */
export interface TopicFeedOptions {
  readonly world: Pick<World, "clock" | "log">;
  /** A new source of the topic's frames. */
  source(): FrameSource;
  /** Called when a subscription cannot keep up. */
  onLagging(subscription: Subscription): void;
}

/** How many bytes of frames are kept for a joining subscription; beyond that, the join starts over. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/** Frames that arrived while a subscription reads its own list. */
interface Kept {
  readonly frames: WatchFrame[];
  bytes: number;
}

/**
 * One watch and all of its subscribers.
 *
 * Contract:
 * 1. Every subscription sees one state and then each change of it, in the server's order, as if it watched alone.
 * 2. A subscription that comes late, or falls behind, gets a list of its own first, no older than what the others have
 *    seen; none waits for it.
 * 3. A list is read no faster than its slowest subscription takes it, unless that one takes nothing for some seconds: a
 *    second list would cost all of them more.
 * 4. A subscription that takes nothing any more is sent a bounded number of bytes.
 * 5. No frame is parsed.
 */
export class TopicFeed implements FrameSink {
  readonly #options: TopicFeedOptions;
  readonly #subscriptions = new Set<Subscription>();
  readonly #kept = new Map<Subscription, Kept>();
  readonly #stop = new AbortController();
  readonly #joins = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  /**
   * The resourceVersion of the last commit, event or bookmark; empty before the first commit and during a replacement.
   */
  #position = "";

  constructor(options: TopicFeedOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  add(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
    if (this.#position !== "") this.#join(subscription);
    this.#running ??= this.#run();
  }

  remove(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
    this.#kept.delete(subscription);
    subscription.end();
  }

  /** Sends a subscription everything again. */
  again(subscription: Subscription): void {
    if (!this.#subscriptions.has(subscription)) return;
    subscription.join?.abort();
    subscription.state = "waiting";
    if (this.#position !== "") this.#join(subscription);
  }

  /** Ends the watch; resolves when nothing is in progress. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const subscription of [...this.#subscriptions]) this.remove(subscription);
    await Promise.all([this.#running, ...this.#joins]);
  }

  beginReplace(): Replacement {
    this.#position = "";
    for (const subscription of this.#subscriptions) {
      if (subscription.state === "lagging") continue;
      subscription.join?.abort();
      this.#kept.delete(subscription);
      subscription.state = "replacing";
      subscription.aheadAt = undefined;
      subscription.begin();
    }
    return {
      events: (frames) => this.#replace(frames),
      commit: (resourceVersion) => this.#commit(resourceVersion),
      // The next replacement starts with `begin`, which discards this one.
      abort: () => {},
    };
  }

  events(frames: readonly WatchFrame[]): void {
    if (frames.length === 0) return;
    this.#position = frames[frames.length - 1].resourceVersion || this.#position;
    for (const subscription of this.#subscriptions) {
      if (subscription.state === "live") this.#sendLive(subscription, frames);
    }
    if (this.#kept.size > 0) this.#keep(frames);
  }

  bookmark(resourceVersion: string): void {
    this.#position = resourceVersion;
    for (const subscription of this.#subscriptions) {
      if (subscription.state === "live" && hasReached(subscription, resourceVersion)) {
        subscription.bookmark(resourceVersion);
      }
    }
  }

  #run(): Promise<void> {
    return this.#options.source().run(this, this.#stop.signal);
  }

  #replace(frames: readonly WatchFrame[]): void | Promise<void> {
    const refusing: Subscription[] = [];
    for (const subscription of this.#subscriptions) {
      if (subscription.state === "replacing" && !subscription.frames(frames, true)) refusing.push(subscription);
    }
    if (refusing.length === 0) return;
    return Promise.all(refusing.map((subscription) => this.#replaceLater(subscription, frames))).then(() => {});
  }

  async #replaceLater(subscription: Subscription, frames: readonly WatchFrame[]): Promise<void> {
    const hasRoom = await subscription.makesRoom(this.#options.world.clock, this.#stop.signal);
    if (subscription.state !== "replacing" || this.#stop.signal.aborted) return;
    if (!hasRoom || !subscription.frames(frames, true)) this.#lag(subscription);
  }

  /** A subscription does not get changes that its list already contains. */
  #sendLive(subscription: Subscription, frames: readonly WatchFrame[]): void {
    const { aheadAt } = subscription;
    if (aheadAt !== undefined) {
      frames = frames.filter(({ resourceVersion }) => isAfter(resourceVersion, aheadAt));
      if (frames.length === 0) return;
      subscription.aheadAt = undefined;
    }
    if (!subscription.frames(frames, false)) this.#lag(subscription);
  }

  /** Sends nothing more until the subscription has processed everything; then it joins again. */
  #lag(subscription: Subscription): void {
    subscription.state = "lagging";
    this.#options.onLagging(subscription);
    void subscription.whenWorkedOff().then(() => subscription.state === "lagging" && this.again(subscription));
  }

  #commit(resourceVersion: string): void {
    this.#position = resourceVersion;
    for (const subscription of [...this.#subscriptions]) {
      if (subscription.state === "replacing") {
        subscription.commit(resourceVersion);
        subscription.state = "live";
      } else if (subscription.state === "waiting") this.#join(subscription);
    }
  }

  #keep(frames: readonly WatchFrame[]): void {
    let bytes = 0;
    for (const frame of frames) bytes += frame.bytes.length;
    for (const [subscription, kept] of this.#kept) {
      kept.frames.push(...frames);
      kept.bytes += bytes;
      if (kept.bytes > MOST_KEPT_BYTES) this.again(subscription);
    }
  }

  #join(subscription: Subscription): void {
    const join = new AbortController();
    subscription.join = join;
    subscription.state = "joining";
    this.#kept.set(subscription, { frames: [], bytes: 0 });
    const signal = AbortSignal.any([join.signal, this.#stop.signal]);
    const sink = new JoinSink(subscription, { notBefore: this.#position, join });
    const joined = this.#options.source().run(sink, signal).then(
      () => {
        // There may be another by now.
        if (sink.committed !== undefined && subscription.join === join) this.#finishJoin(subscription, sink.committed);
      },
    ).catch((err) => this.#options.world.log.error("A list for one subscriber failed", { err })).finally(() =>
      this.#joins.delete(joined)
    );
    this.#joins.add(joined);
  }

  #finishJoin(subscription: Subscription, resourceVersion: string): void {
    const kept = this.#kept.get(subscription);
    if (!kept || subscription.state !== "joining") return;
    this.#kept.delete(subscription);
    subscription.join = undefined;
    subscription.commit(resourceVersion);
    subscription.state = "live";
    subscription.aheadAt = resourceVersion;
    this.#sendLive(subscription, kept.frames);
  }
}

/** Whether the topic has caught up with the list that the subscription joined with. */
function hasReached(subscription: Subscription, resourceVersion: string): boolean {
  const { aheadAt } = subscription;
  if (aheadAt !== undefined && (compareResourceVersions(resourceVersion, aheadAt) ?? 0) < 0) return false;
  subscription.aheadAt = undefined;
  return true;
}

function isAfter(resourceVersion: string, other: string): boolean {
  const order = compareResourceVersions(resourceVersion, other);
  return order === undefined || order > 0;
}

import { compareResourceVersions } from "../../api/mod.ts";
import { FrameError, type FrameSink, type Replacement, type WatchFrame } from "../../watch/mod.ts";
import type { Subscription } from "./subscription.ts";

/**
 * Receives one list for one subscription, then ends its source.
 *
 * Contract:
 * 1. A list that is older than what the topic had seen when the join began is refused; the source lists again.
 * 2. Reading waits while the subscription has no room.
 * 3. When the list is complete, `committed` is its resourceVersion and the source ends; the commit is left to the
 *    topic.
 */
export class JoinSink implements FrameSink {
  /** The resourceVersion of the received list. */
  committed: string | undefined;
  readonly #subscription: Subscription;
  readonly #notBefore: string;
  readonly #join: AbortController;

  constructor(
    subscription: Subscription,
    { notBefore, join }: { readonly notBefore: string; readonly join: AbortController },
  ) {
    this.#subscription = subscription;
    this.#notBefore = notBefore;
    this.#join = join;
  }

  beginReplace(): Replacement {
    this.#subscription.begin();
    return {
      events: (frames) => this.#send(frames),
      commit: (resourceVersion) => this.#commit(resourceVersion),
      abort: () => {},
    };
  }

  events(): void {}

  bookmark(): void {}

  async #send(frames: readonly WatchFrame[]): Promise<void> {
    while (!this.#subscription.frames(frames, true)) await this.#subscription.whenWorkedOff();
  }

  #commit(resourceVersion: string): void {
    if ((compareResourceVersions(resourceVersion, this.#notBefore) ?? 0) < 0) {
      throw new FrameError(`the list is of ${resourceVersion}, older than ${this.#notBefore}, which others have seen`);
    }
    this.committed = resourceVersion;
    this.#join.abort();
  }
}

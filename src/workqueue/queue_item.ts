import type { Cause, Causes } from "./causes.ts";

/** A key handed out for processing. */
export interface QueueItem<K> {
  readonly key: K;
  /** Why the key was added since it was last handed out: distinct, oldest first, bounded. Do not change. */
  readonly causes: Causes;
  /** How long the key waited, in milliseconds. */
  readonly waitedMs: number;
}

/** The part of a queue that {@link runWorkers} uses; every queue here with a rate limiter has it. */
export interface WorkSource<K> {
  readonly name: string;
  get(): Promise<QueueItem<K> | undefined>;
  done(key: K): void;
  forget(key: K): void;
  addRateLimited(key: K, cause?: Cause): void;
  shutDown(): void;
}

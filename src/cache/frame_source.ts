import type { FrameSink } from "../watch/mod.ts";

/** How a {@link FrameSource} is to run. */
export interface FrameSourceOptions {
  readonly signal: AbortSignal;
  /** How often to ask `shouldResync`, in milliseconds; 0 is never. */
  readonly resyncPeriodMs: number;
  /** Whether `sink.resync` is to be called now. */
  readonly shouldResync: () => boolean;
}

/** Where an informer's frames come from: a Reflector in this thread, or a hub in another one. */
export interface FrameSource {
  /** Keeps `sink` up to date until `signal` aborts; resolves then. */
  run(sink: FrameSink, options: FrameSourceOptions): Promise<void>;
  /** For how long the server has said nothing, in milliseconds, as far as the source knows. */
  readonly stalenessMs?: number;
}

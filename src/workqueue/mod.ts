/** Queues of keys that need work: de-duplicating, delaying, rate limited, and the workers that empty them. */
export { BaseQueue, type BaseQueueOptions } from "./base_queue.ts";
export {
  type Cause,
  type CauseNote,
  Causes,
  type Change,
  type Due,
  MAX_CAUSES,
  type ObjectChange,
  type Reason,
} from "./causes.ts";
export { DelayingQueue } from "./delaying_queue.ts";
export {
  BucketLimiter,
  defaultControllerLimiter,
  ItemExponentialLimiter,
  MaxOfLimiter,
  type RateLimiter,
} from "./limiters.ts";
export type { QueueItem, WorkSource } from "./queue_item.ts";
export { runWorkers, type RunWorkersOptions } from "./run_workers.ts";
export { MAX_READS, MAX_WRITES, type ReadNote, SyncNotes, type SyncRecord } from "./sync_notes.ts";
export { WorkQueue, type WorkQueueOptions } from "./work_queue.ts";
export type { Fact } from "./causes.ts";
export type { Outcome } from "./sync_notes.ts";
export type { QueueMetrics } from "./queue_metrics.ts";

import type { World } from "../../base/mod.ts";
import { type Syncing, waitForNamedCacheSync } from "../../cache/mod.ts";
import { runWorkers, type RunWorkersOptions, type WorkQueue } from "../../workqueue/mod.ts";

/** What a controller with one queue is made of. */
export interface RunOptions extends Pick<RunWorkersOptions<string>, "workers" | "sync" | "onError"> {
  /** As log lines name it. */
  readonly name: string;
  readonly world: World;
  readonly queue: WorkQueue;
  /** Informers or handler registrations to wait for. */
  readonly caches: readonly Syncing[];
  readonly signal: AbortSignal;
}

/** Waits for the caches, then works on the queue until `signal` aborts; resolves when all workers have ended. */
export async function runController(
  { name, world, queue, caches, signal, workers, sync, onError }: RunOptions,
): Promise<void> {
  world.log.info("Starting controller", { controller: name });
  if (await waitForNamedCacheSync({ log: world.log, name, signal }, ...caches)) {
    await runWorkers(queue, { workers, world, signal, sync, onError });
  } else {
    queue.shutDown();
  }
  world.log.info("Shutting down controller", { controller: name });
}

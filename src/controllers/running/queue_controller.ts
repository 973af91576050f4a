import type { Resource } from "../../api/mod.ts";
import type { Logger, World } from "../../base/mod.ts";
import { StaleCacheError, type Syncing, waitForNamedCacheSync } from "../../cache/mod.ts";
import { announced } from "./announced.ts";
import type { Controller } from "./controller.ts";
import type { Journal } from "./journal.ts";
import { type Causes, runWorkers, type RunWorkersOptions, type WorkSource } from "../../workqueue/mod.ts";

/** What a sync gets besides its key. */
export interface SyncContext {
  /** Why the key was queued. */
  readonly causes: Causes;
  /** Aborts when the controller is to stop; a sync with many requests checks it between them. */
  readonly signal: AbortSignal;
}

/** The parts of a controller with one queue. */
export interface QueueControllerOptions extends Pick<RunWorkersOptions<string>, "workers" | "onError"> {
  /** Its name in `--controllers`. */
  readonly name: string;
  /** With the controller's own log. */
  readonly world: World;
  readonly journal: Journal;
  /** The kind of the objects that keys name; absent if they name something else. For the journal. */
  readonly resource?: Resource;
  /** Extracts the object's key from a key that holds more; by default they are the same. For the journal. */
  objectKeyOf?(key: string): string;
  readonly queue: WorkSource<string>;
  /** Informers or handler registrations to wait for. */
  readonly caches: readonly Syncing[];
  /** Syncs one key; throws if that fails. */
  sync(key: string, context: SyncContext): Promise<void>;
}

/**
 * A controller that works on the keys of one queue.
 *
 * Contract:
 * 1. No key is worked on before the caches have synced; if they never do, `run` still ends when its signal aborts.
 * 2. A key that fails is logged and tried again, ever more rarely, unless `onError` decides about it.
 * 3. A cache that lags behind our own writes is not worth a line in the log.
 * 4. Failures after the signal has aborted are neither reported nor passed to `onError`: they were cut short.
 * 5. `run` resolves when all workers have ended.
 * 6. Each sync, however it ends, is in the journal once.
 */
export function queueController(
  {
    name,
    world,
    journal,
    resource,
    objectKeyOf = (key) => key,
    queue,
    caches,
    workers,
    sync,
    onError,
  }: QueueControllerOptions,
): Controller {
  const { log } = world;
  return {
    run: (signal) =>
      announced({ log, name }, async () => {
        if (!await waitForNamedCacheSync({ log, name, signal }, ...caches)) return queue.shutDown();
        await runWorkers(queue, {
          workers,
          world,
          signal,
          sync: (key, causes) => sync(key, { causes, signal }),
          onError: decideBy(onError, { log, signal }),
          onSynced: (key, record) =>
            journal.record({ controller: name, kind: resource?.kind, key: objectKeyOf(key), record }),
        });
      }),
  };
}

/** Decides about failed keys by sentences 2 to 4 of the contract of {@link queueController}. */
export function decideBy<K>(
  onError: RunWorkersOptions<K>["onError"],
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): NonNullable<RunWorkersOptions<K>["onError"]> {
  return (key, error) => {
    if (signal.aborted) {
      log.verbose(4, "Sync cut short by the shutdown", { err: error, key });
      return "forget";
    }
    if (error instanceof StaleCacheError) {
      log.verbose(4, "Sync skipped", { err: error, key });
      return "retry";
    }
    if (onError) return onError(key, error);
    log.error("Sync failed, will retry", { err: error, key });
    return "retry";
  };
}

/** Combines controllers that run at the same time, each with its own queue, into one. */
export function together(...parts: readonly Controller[]): Controller {
  return { run: async (signal) => void await Promise.all(parts.map((part) => part.run(signal))) };
}

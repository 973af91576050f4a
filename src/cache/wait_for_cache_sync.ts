import { type Logger, orAborted } from "../base/mod.ts";

/** Something that syncs: an informer, a factory, or a handler's registration. */
export type Syncing =
  | { readonly whenSynced: Promise<void> }
  | { whenSynced(signal: AbortSignal): Promise<boolean> };

/**
 * Waits until all of `synced` have synced or `signal` aborts. There is no timeout: a resource that cannot be listed
 * keeps its user waiting, and its reflector logs why.
 *
 * @returns Whether all have synced.
 *
 * @example
 * ```ts
 * import { waitForCacheSync } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const never = { whenSynced: new Promise<void>(() => {}) };
 * assertEquals(await waitForCacheSync(AbortSignal.abort(), never), false);
 * ```
 */
export async function waitForCacheSync(signal: AbortSignal, ...synced: readonly Syncing[]): Promise<boolean> {
  const results = await Promise.all(
    synced.map((one) =>
      typeof one.whenSynced === "function" ? one.whenSynced(signal) : settledBeforeAbort(one.whenSynced, signal)
    ),
  );
  return results.every(Boolean);
}

/** Options of {@link waitForNamedCacheSync}. */
export interface NamedWait {
  readonly log: Logger;
  /** The controller. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** {@link waitForCacheSync} with upstream's log lines. */
export async function waitForNamedCacheSync(
  { log, name, signal }: NamedWait,
  ...synced: readonly Syncing[]
): Promise<boolean> {
  log.info("Waiting for caches to sync", { controller: name });
  const allSynced = await waitForCacheSync(signal, ...synced);
  if (allSynced) log.info("Caches are synced", { controller: name });
  else log.error("Unable to sync caches", { controller: name });
  return allSynced;
}

/** Whether `promise` resolves before `signal` aborts. */
export function settledBeforeAbort(promise: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return orAborted(promise.then(() => true), signal, false);
}

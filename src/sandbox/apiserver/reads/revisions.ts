import { unlessAborted } from "../../../base/mod.ts";
import { badRequest, plainError, tooLargeResourceVersion } from "../base/mod.ts";
import type { Environment } from "../traits/mod.ts";

/** How long a read waits for a future revision. */
const WAIT_MS = 3000;
const LARGEST = 2n ** 64n - 1n;

/**
 * The number in a `resourceVersion` parameter; 0, which means any, if it is absent.
 *
 * @throws {ApiError} 500 if it is not a number; 400 for a `list`, as upstream.
 */
export function revisionOf(text: string | null, { isList = false }: { readonly isList?: boolean } = {}): number {
  if (text === null || text === "") return 0;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= LARGEST) return Number(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  const quoted = JSON.stringify(text);
  const message = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
  throw isList ? badRequest(`invalid resource version: ${message}`) : plainError(message);
}

/**
 * Waits until the store has reached `revision`.
 *
 * @throws {ApiError} 504 if that takes longer than 3 seconds.
 */
export async function waitForRevision(
  { world, store }: Environment,
  revision: number,
  signal?: AbortSignal,
): Promise<void> {
  if (revision <= store.revision) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const unsubscribe = store.subscribe(undefined, (event) => event.revision >= revision && resolve());
  const timer = world.clock.setTimer(WAIT_MS, () => reject(tooLargeResourceVersion(revision, store.revision)));
  try {
    await (signal ? unlessAborted(promise, signal) : promise);
  } finally {
    unsubscribe();
    timer.cancel();
  }
}

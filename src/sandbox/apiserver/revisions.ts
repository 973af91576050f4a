import type { StatusCause } from "../../api/mod.ts";
import { ApiError, badRequest, tooLargeResourceVersion } from "./errors.ts";
import type { Environment } from "./environment.ts";

/** How long a read waits for a revision that does not exist yet. */
const WAIT_MS = 3000;

/** The number in a `resourceVersion` parameter: `undefined` when absent, 0 for "any". */
export function revisionOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: must be a number`,
  );
}

/** A list or watch parameter that cannot be served, answered with 422. */
export function listOptionsError(field: string, message: string, reason = "FieldValueInvalid"): ApiError {
  const cause: StatusCause = { reason, message, field };
  const text = `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`;
  return new ApiError(422, "Invalid", text, { group: "meta.k8s.io", kind: "ListOptions", causes: [cause] });
}

/**
 * Resolves once the store has reached `revision`.
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
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    unsubscribe();
    timer.cancel();
    signal?.removeEventListener("abort", abort);
  }
}

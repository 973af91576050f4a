import { type KubeObject, objectKey, type Resource } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import { refOf } from "./object_ref.ts";

type Stateful = KubeObject & { status?: unknown };

/**
 * Writes the status of a cached object. A refused write is tried once more, based on the API server's current version
 * of the object.
 *
 * @param statusOf Computes the status for the latest version of the object.
 * @returns The server's answer.
 * @throws {StatusError} The error of the read in between, or of the second write.
 * @throws {Error} If the object was replaced by another of its name.
 */
export async function updateStatusWithRetry<T extends Stateful>(
  client: Pick<Client, "get" | "updateStatus">,
  resource: Resource<T>,
  { cached, statusOf }: { readonly cached: T; statusOf(latest: T): T["status"] },
): Promise<T> {
  const put = (latest: T) => client.updateStatus(resource, { ...latest, status: statusOf(latest) });
  try {
    return await put(cached);
  } catch {
    const latest = await client.get(resource, refOf(cached));
    ensureNotReplaced(resource, cached, latest);
    return await put(latest);
  }
}

/**
 * Checks that an object read again is still the one that a status was computed for.
 *
 * @throws {Error} If it was replaced by another of its name.
 */
export function ensureNotReplaced<T extends KubeObject>(resource: Resource<T>, cached: T, latest: T): void {
  if (latest.metadata?.uid === cached.metadata?.uid) return;
  const what = `${resource.kind} ${objectKey(cached)}`;
  throw new Error(`Cannot write the status of ${what}: it was replaced by another one`);
}

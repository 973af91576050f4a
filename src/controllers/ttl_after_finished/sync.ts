import { type Job, JOBS, objectKey, splitKey } from "../../api/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import { deleteExpired } from "./actions.ts";
import type { TtlContext } from "./context.ts";
import { expiresAtMs } from "./expiry.ts";

/**
 * Deletes an expired Job together with its pods, or requeues it for when it expires.
 *
 * The cached Job may be stale: its TTL may have changed, or a new Job may have its name by now. So the Job is read from
 * the API server before anything is deleted, and exactly that one is.
 *
 * Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go` (processJob).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: a request failed, or the Job does not say when it ended.
 */
export async function syncTtl(key: string, context: TtlContext): Promise<void> {
  const { client, jobs } = context;
  const ref = splitKey(key);
  const cached = jobs.get(ref.namespace, ref.name);
  if (!cached || expiryOf(cached, context) === undefined) return;
  const live = await find(ref, client);
  if (!live) return;
  const expiredAtMs = expiryOf(live, context);
  if (expiredAtMs === undefined) return;
  await deleteExpired(live, expiredAtMs, context);
}

/** When the Job expired; if it has not, queues its key for then and returns `undefined`. */
function expiryOf(job: Job, { queue, world: { clock, log } }: TtlContext): number | undefined {
  const atMs = expiresAtMs(job);
  if (atMs === undefined) return undefined;
  const leftMs = atMs - clock.wallMs();
  if (leftMs > job.spec!.ttlSecondsAfterFinished! * 1000) {
    log.warn("Found a Job that finished in the future, likely due to clocks that differ", { job: objectKey(job) });
  }
  if (leftMs <= 0) return atMs;
  queue.addAfter(objectKey(job), leftMs, { due: "ttlSecondsAfterFinished passed" });
  return undefined;
}

async function find(ref: { namespace: string; name: string }, client: Pick<Client, "get">): Promise<Job | undefined> {
  try {
    return await client.get(JOBS, ref);
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}

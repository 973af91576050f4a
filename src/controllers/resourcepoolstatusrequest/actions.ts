import { errorText } from "../../base/mod.ts";
import { formatTime, objectKey, type ResourcePoolStatusRequest, RESOURCEPOOLSTATUSREQUESTS } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { PoolStatusContext } from "./context.ts";
import type { PoolReport } from "./pools.ts";

/**
 * Writes a request's answer; fails with a conflict if it was answered meanwhile.
 * @throws {Error} If it could not be written.
 */
export async function answer(
  request: ResourcePoolStatusRequest,
  { count, pools }: PoolReport,
  { world: { clock }, client }: Pick<PoolStatusContext, "world" | "client">,
): Promise<void> {
  const complete = {
    type: "Complete",
    status: "True",
    reason: "CalculationComplete",
    message: `Calculated status for ${pools.length} pools`,
    lastTransitionTime: formatTime(clock.wallMs()),
  };
  const status = { poolCount: count, pools: pools.length > 0 ? [...pools] : undefined, conditions: [complete] };
  try {
    await client.updateStatus(RESOURCEPOOLSTATUSREQUESTS, { ...request, status });
  } catch (error) {
    throw new Error(`failed to update status for request ${objectKey(request)}: ${errorText(error)}`, { cause: error });
  }
}

/** Deletes exactly this request; what fails is logged, and retried in the next pass. */
export async function remove(
  request: ResourcePoolStatusRequest,
  { world: { log }, client }: Pick<PoolStatusContext, "world" | "client">,
): Promise<void> {
  const name = objectKey(request);
  try {
    const { uid } = request.metadata;
    await client.delete(RESOURCEPOOLSTATUSREQUESTS, refOf(request), { preconditions: { uid } });
    log.verbose(2, "Deleted expired ResourcePoolStatusRequest", { request: name });
  } catch (err) {
    if (serverSays(err, isNotFound)) return;
    log.error("Cannot delete expired ResourcePoolStatusRequest, will try again later", { err, request: name });
  }
}

import { parseTime, type ResourcePoolStatusRequest } from "../../api/mod.ts";

const ANSWERED_TTL_MS = 3_600_000;
const PENDING_TTL_MS = 24 * 3_600_000;

/**
 * Whether nobody will read a request any more: an hour after its answer, or a day after it was made if there is none.
 * Upstream: `pkg/controller/resourcepoolstatusrequest/controller.go` (shouldDeleteRequest).
 */
export function isExpired({ metadata, status }: ResourcePoolStatusRequest, nowMs: number): boolean {
  const isOlderThan = (time: string | undefined, ttlMs: number) =>
    time !== undefined && nowMs - parseTime(time) > ttlMs;
  if (!status) return isOlderThan(metadata.creationTimestamp, PENDING_TTL_MS);
  const answer = status.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
  return isOlderThan(answer ? answer.lastTransitionTime : metadata.creationTimestamp, ANSWERED_TTL_MS);
}

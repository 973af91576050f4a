import { parseTime, type ResourcePoolStatusRequest } from "../../api/mod.ts";

const ANSWERED_TTL_MS = 3_600_000;
const PENDING_TTL_MS = 24 * 3_600_000;

/**
 * Whether a request has expired: an hour after its answer, or a day after its creation without one.
 * Upstream: `pkg/controller/resourcepoolstatusrequest/controller.go` (shouldDeleteRequest).
 */
export function isExpired({ metadata, status }: ResourcePoolStatusRequest, nowMs: number): boolean {
  // A time that is not set is null.
  const isOlderThan = (time: string | undefined, ttlMs: number) => !!time && nowMs - parseTime(time) > ttlMs;
  if (!status) return isOlderThan(metadata.creationTimestamp, PENDING_TTL_MS);
  const answer = status.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
  return isOlderThan(answer ? answer.lastTransitionTime : metadata.creationTimestamp, ANSWERED_TTL_MS);
}

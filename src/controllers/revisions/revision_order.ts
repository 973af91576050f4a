import { numberText } from "../../base/mod.ts";
import type { ControllerRevision } from "../../api/mod.ts";
import { byCreation } from "../running/mod.ts";

/** A revision's number. Numbers beyond 2^53, which only handmade revisions have, are rounded. */
export function revisionNumber({ revision }: ControllerRevision): number {
  return Number(numberText(revision));
}

/** Orders revisions from the oldest to the newest: by number, then age, then name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return revisionNumber(a) - revisionNumber(b) || byCreation(a, b);
}

/**
 * Which unused revisions to delete, oldest first, so that `limit` remain; none if it is negative.
 * Upstream: `pkg/controller/statefulset/stateful_set_control.go` (truncateHistory).
 *
 * @param revisions In order.
 */
export function beyondLimit(
  revisions: readonly ControllerRevision[],
  { limit, isLive }: { readonly limit: number; readonly isLive: (revision: ControllerRevision) => boolean },
): ControllerRevision[] {
  const dead = revisions.filter((revision) => !isLive(revision));
  return limit < 0 || dead.length <= limit ? [] : dead.slice(0, dead.length - limit);
}

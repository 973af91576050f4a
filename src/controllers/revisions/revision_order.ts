import { numberText } from "../../base/mod.ts";
import type { ControllerRevision } from "../../api/mod.ts";
import { byCreation } from "../running/mod.ts";

/** The number of a revision; one that JavaScript cannot hold is rounded, which happens only to revisions made by hand. */
export function revisionNumber({ revision }: ControllerRevision): number {
  return Number(numberText(revision));
}

/** Orders revisions from the oldest to the newest: by number, then age, then name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return revisionNumber(a) - revisionNumber(b) || byCreation(a, b);
}

/**
 * Of the revisions that nobody uses, those to delete so that `limit` are left, oldest first; none if it is negative.
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

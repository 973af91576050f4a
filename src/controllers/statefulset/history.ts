import type { ControllerRevision, StatefulSet } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import {
  beyondLimit,
  deleteRevisions,
  holds,
  readRevisions,
  type RevisionData,
  revisionDataSteps,
  revisionNumber,
} from "../revisions/mod.ts";
import { createRevision, renumber } from "./actions.ts";
import type { StatefulSetContext } from "./context.ts";

/** The revisions of a sync. */
export interface SetRevisions {
  /** The one that was rolled out last. */
  readonly current: ControllerRevision;
  /** The one that is being rolled out. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** How a set's template relates to its revisions. */
export type Latest =
  /** It equals the last revision. */
  | { readonly kind: "same"; readonly revision: ControllerRevision }
  /** It equals an older revision, which becomes the last one again. */
  | { readonly kind: "rollback"; readonly revision: ControllerRevision }
  | { readonly kind: "new" };

/**
 * Finds the set's template among its revisions.
 * Upstream: `pkg/controller/statefulset/stateful_set_control.go` (getStatefulSetRevisions).
 *
 * @param revisions In order.
 * @param isSame Whether a revision with other bytes means the same.
 */
export function findLatest(
  revisions: readonly ControllerRevision[],
  data: RevisionData,
  isSame: (revision: ControllerRevision) => boolean,
): Latest {
  const last = revisions.at(-1);
  const equal = revisions.findLast((revision) => holds(revision, data));
  if (last && equal && holds(last, data)) return { kind: "same", revision: last };
  if (equal) return { kind: "rollback", revision: equal };
  return last && isSame(last) ? { kind: "same", revision: last } : { kind: "new" };
}

/**
 * Finds or creates the revisions of a set.
 *
 * @param revisions In order.
 */
export async function syncRevisions(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  context: StatefulSetContext,
): Promise<SetRevisions> {
  const budget = new TurnBudget(context.world.clock);
  const data = await budget.run(revisionDataSteps(set.spec!.template, "double"));
  await readRevisions(revisions, budget);
  const last = revisions.at(-1);
  const revision = (last ? revisionNumber(last) : 0) + 1;
  const latest = findLatest(revisions, data, (last) => context.equivalence?.isSame(set, data, last) ?? false);
  let update: ControllerRevision;
  let collisionCount = set.status?.collisionCount ?? 0;
  switch (latest.kind) {
    case "same":
      update = latest.revision;
      break;
    case "rollback":
      update = await renumber(latest.revision, revision, context);
      break;
    case "new":
      ({ update, collisionCount } = await createRevision(set, { data, revision, collisionCount }, context));
  }
  const current = revisions.find(({ metadata }) => metadata?.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

/** Deletes unused revisions beyond the set's limit, oldest first. */
export async function truncateHistory(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string | undefined>,
  context: Pick<StatefulSetContext, "client">,
): Promise<void> {
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  const isLive = ({ metadata }: ControllerRevision) => live.has(metadata?.name);
  await deleteRevisions(beyondLimit(revisions, { limit, isLive }), context);
}

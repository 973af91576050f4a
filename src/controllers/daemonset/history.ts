import {
  CONTROLLER_REVISION_HASH_LABEL,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  type Pod,
  type Selector,
} from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { claim } from "../pods/mod.ts";
import {
  byRevision,
  holds,
  ownAndOrphanRevisions,
  readRevisions,
  revisionDataSteps,
  revisionNumber,
} from "../revisions/mod.ts";
import { createRevision, ensureHash, keepOnly, renumber } from "./actions.ts";
import type { DaemonSetContext } from "./context.ts";
import { claimDaemonPods } from "./daemon_pods.ts";
import { hashOf } from "./new_pod.ts";

/** The revisions of a DaemonSet. */
export interface DaemonHistory {
  /** Of the current template. */
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
}

/**
 * Finds a DaemonSet's revisions; creates the current one if missing, and removes duplicates of it.
 * Upstream: `pkg/controller/daemon/update.go` (constructHistory).
 */
export async function syncHistory(
  daemonSet: DaemonSet,
  selector: Selector,
  context: DaemonSetContext,
): Promise<DaemonHistory> {
  const { client, revisions, world } = context;
  const budget = new TurnBudget(world.clock);
  const data = await budget.run(revisionDataSteps(daemonSet.spec!.template, "exact"));
  const claimed = await claim(ownAndOrphanRevisions(revisions, daemonSet, DAEMONSETS.kind), {
    client,
    parent: daemonSet,
    parentResource: DAEMONSETS,
    resource: CONTROLLERREVISIONS,
    selector,
    budget,
  });
  const labelled: ControllerRevision[] = [];
  for (const revision of claimed) labelled.push(await ensureHash(revision, context));
  await readRevisions(labelled, budget);
  const old = labelled.filter((revision) => !holds(revision, data));
  const present = labelled.filter((revision) => holds(revision, data));
  const number = old.reduce((most, revision) => Math.max(most, revisionNumber(revision)), 0) + 1;
  if (present.length === 0) return { current: await createRevision(daemonSet, { data, number }, context), old };
  const current = latest(present);
  if (present.length > 1) {
    // Also for older revisions, as upstream does.
    const pods = await claimDaemonPods(daemonSet, selector, { ...context, budget: new TurnBudget(world.clock) });
    await keepOnly(current, { twins: present, pods }, context);
  }
  if (revisionNumber(current) < number) await renumber(current, number, context);
  return { current, old };
}

/** The one with the highest number; the last of equal ones. */
function latest(revisions: readonly ControllerRevision[]): ControllerRevision {
  return revisions.reduce((last, revision) => revisionNumber(revision) >= revisionNumber(last) ? revision : last);
}

/**
 * The old revisions beyond the DaemonSet's limit, oldest first. One that is in use is kept, and a younger one is
 * deleted instead. Upstream: `pkg/controller/daemon/update.go` (cleanupHistory).
 *
 * @param pods In whatever state.
 */
export function planCleanup(
  daemonSet: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): ControllerRevision[] {
  const excess = old.length - (daemonSet.spec?.revisionHistoryLimit ?? 10);
  if (excess <= 0) return [];
  const live = new Set(pods.map(({ metadata }) => metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL]).filter(Boolean));
  return [...old].sort(byRevision).filter((revision) => !live.has(hashOf(revision))).slice(0, excess);
}

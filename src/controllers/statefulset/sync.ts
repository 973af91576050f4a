import { TurnBudget } from "../../base/mod.ts";
import {
  type ControllerRevision,
  objectKey,
  type Pod,
  PODS,
  type Selector,
  SelectorError,
  splitKey,
  type StatefulSet,
  STATEFULSETS,
  type StatefulSetStatus,
} from "../../api/mod.ts";
import { claim, nextAvailabilityCheckMs, orphanPods, podsControlledBy } from "../pods/mod.ts";
import { adoptRevisions, byRevision, ownAndOrphanRevisions } from "../revisions/mod.ts";
import { aggregateErrors, errorText, selectorOfCached } from "../running/mod.ts";
import type { StatefulSetContext } from "./context.ts";
import { identityOf, revisionOfPod } from "./identity.ts";
import { maxUnavailableOf } from "./plan.ts";
import { reconcile } from "./reconcile.ts";
import { type SetRevisions, syncRevisions, truncateHistory } from "./revisions.ts";
import { completed } from "./status.ts";
import { writeStatus } from "./status_writer.ts";

const KIND = STATEFULSETS.kind;

/**
 * Brings one StatefulSet a step closer to what it asks for, and its status up to date.
 * Upstream: `pkg/controller/statefulset/stateful_set.go` (sync).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key is to be tried again: the caches are behind our own writes, or a write failed.
 */
export async function syncStatefulSet(key: string, context: StatefulSetContext): Promise<void> {
  const { world, client, sets, revisionIndexer, guard } = context;
  guard.ensureReady(key);
  const { namespace, name } = splitKey(key);
  const set = sets.get(namespace, name);
  if (!set) return guard.clear(key);
  const selector = validSelector(set, context);
  if (!selector) return;

  const matching = ({ metadata }: ControllerRevision) => selector.matches(metadata?.labels);
  const listRevisions = () => ownAndOrphanRevisions(revisionIndexer, set, KIND).filter(matching);
  await adoptRevisions(listRevisions(), { client, parent: set, parentResource: STATEFULSETS });
  const pods = await claimPods(set, selector, context);
  const nowMs = world.clock.wallMs();
  const revisions = listRevisions().sort(byRevision);
  const status = await update({ set, pods, revisions, nowMs }, context);
  planAvailabilityCheck(key, { set, pods, status, nowMs }, context);
}

/** A selector that cannot be understood will not be by trying again. */
function validSelector(set: StatefulSet, { world }: StatefulSetContext): Selector | undefined {
  try {
    return selectorOfCached(set.spec?.selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    world.log.error("Error converting StatefulSet selector", { err: error, key: objectKey(set) });
    return undefined;
  }
}

/** Pods of the set, whatever their state; a pod of another name is not, whatever its labels say. */
async function claimPods(
  set: StatefulSet,
  selector: Selector,
  { world, client, podIndexer, guard }: StatefulSetContext,
): Promise<Pod[]> {
  const candidates = [...podsControlledBy(podIndexer, set, KIND), ...orphanPods(podIndexer, set.metadata?.namespace)];
  return await claim(candidates, {
    client,
    parent: set,
    parentResource: STATEFULSETS,
    resource: PODS,
    selector,
    budget: new TurnBudget(world.clock),
    filter: ({ metadata }) => identityOf(metadata?.name).parent === set.metadata?.name,
    onPatched: (pod) => guard.wrotePod(pod),
  });
}

interface Observed {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** In order. */
  readonly revisions: readonly ControllerRevision[];
  readonly nowMs: number;
}

/** Rolls out what is to be, and shortens the history in any case. */
async function update(
  { set, pods, revisions, nowMs }: Observed,
  context: StatefulSetContext,
): Promise<StatefulSetStatus> {
  const errors: unknown[] = [];
  let found: SetRevisions | undefined;
  let status: StatefulSetStatus | undefined;
  try {
    found = await syncRevisions(set, revisions, context);
    status = await rollOut({ set, pods, revisions: found, nowMs }, context);
  } catch (error) {
    errors.push(error);
  }
  const live = new Set([
    ...pods.map(revisionOfPod),
    ...found ? [found.current.metadata?.name, found.update.metadata?.name] : [],
  ]);
  try {
    await truncateHistory(set, revisions, live, context);
  } catch (error) {
    errors.push(error);
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
  return status!;
}

/** A step with the pods, and the status also if it failed: the failure is then the error that counts. */
async function rollOut(
  observed: Parameters<typeof reconcile>[0],
  context: StatefulSetContext,
): Promise<StatefulSetStatus> {
  const { set } = observed;
  const { status: reached, error } = await reconcile(observed, context);
  const status = completed(set, reached);
  try {
    context.unavailable?.setMost(set, maxUnavailableOf(set));
    await writeStatus(set, status, context);
  } catch (statusError) {
    if (error === undefined) throw statusError;
    context.world.log.error("Could not update status", { err: errorText(statusError), statefulSet: objectKey(set) });
  }
  if (error !== undefined) throw error;
  return status;
}

interface Checked extends Omit<Observed, "revisions"> {
  readonly status: StatefulSetStatus;
}

/** Timers get lost when another leader takes over or a key is queued again earlier; this one is set in every sync. */
function planAvailabilityCheck(key: string, { set, pods, status, nowMs }: Checked, context: StatefulSetContext): void {
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  if (minReadySeconds <= 0 || status.readyReplicas === status.availableReplicas) return;
  const { world, queue } = context;
  const times = { minReadySeconds, evaluatedAtMs: nowMs, nowMs: world.clock.wallMs() };
  queue.addAfter(key, nextAvailabilityCheckMs(pods, times) ?? minReadySeconds * 1000, {
    due: "minReadySeconds passed",
  });
}

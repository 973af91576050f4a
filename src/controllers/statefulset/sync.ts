import { errorText, TurnBudget } from "../../base/mod.ts";
import {
  type ControllerRevision,
  objectKey,
  type Pod,
  type Selector,
  SelectorError,
  type StatefulSet,
  STATEFULSETS,
  type StatefulSetStatus,
} from "../../api/mod.ts";
import { claimPods, queueNextAvailability } from "../pods/mod.ts";
import { adoptRevisions, byRevision, ownAndOrphanRevisions } from "../revisions/mod.ts";
import { aggregateErrors, byKey, selectorOfCached } from "../running/mod.ts";
import { writeStatus } from "./actions.ts";
import type { StatefulSetContext } from "./context.ts";
import { type SetRevisions, syncRevisions, truncateHistory } from "./history.ts";
import { identityOf, revisionOfPod } from "./identity.ts";
import { maxUnavailableOf } from "./plan.ts";
import { completed } from "./status.ts";
import { takeStep } from "./step.ts";

const KIND = STATEFULSETS.kind;

/**
 * Brings one StatefulSet a step closer to its spec, and its status up to date.
 * Upstream: `pkg/controller/statefulset/stateful_set.go` (sync).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the caches are behind our own writes, or a write failed.
 */
export async function syncStatefulSet(key: string, context: StatefulSetContext): Promise<void> {
  const { world, client, sets, revisionIndexer, guard, queue } = context;
  guard.ensureReady(key);
  const set = byKey(sets, key);
  if (!set) return guard.clear(key);
  const selector = validSelector(set, context);
  if (!selector) return;

  const matching = ({ metadata }: ControllerRevision) => selector.matches(metadata?.labels);
  const listRevisions = () => ownAndOrphanRevisions(revisionIndexer, set, KIND).filter(matching);
  await adoptRevisions(listRevisions(), { client, parent: set, parentResource: STATEFULSETS });
  const pods = await claimSetPods(set, selector, context);
  const nowMs = world.clock.wallMs();
  const revisions = listRevisions().sort(byRevision);
  const status = await update({ set, pods, revisions, nowMs }, context);
  queueNextAvailability(queue, key, {
    pods,
    minReadySeconds: set.spec?.minReadySeconds,
    status,
    evaluatedAtMs: nowMs,
    nowMs: world.clock.wallMs(),
  });
}

/** Retrying does not help with an invalid selector. */
function validSelector(set: StatefulSet, { world }: StatefulSetContext): Selector | undefined {
  try {
    return selectorOfCached(set.spec?.selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    world.log.error("Error converting StatefulSet selector", { err: error, key: objectKey(set) });
    return undefined;
  }
}

/** Pods of the set, whatever their state; a pod with a foreign name is never one, whatever its labels say. */
function claimSetPods(
  set: StatefulSet,
  selector: Selector,
  { world, client, podIndexer, guard }: StatefulSetContext,
): Promise<Pod[]> {
  return claimPods({
    client,
    pods: podIndexer,
    guard,
    budget: new TurnBudget(world.clock),
    parent: set,
    parentResource: STATEFULSETS,
    selector,
    filter: ({ metadata }) => identityOf(metadata?.name).parent === set.metadata?.name,
  });
}

interface Observed {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** In order. */
  readonly revisions: readonly ControllerRevision[];
  readonly nowMs: number;
}

/** Rolls out the wanted revision, and trims the history in any case. */
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

/** Takes one step with the pods and writes the status even if the step failed; its failure is the error that counts. */
async function rollOut(
  observed: Parameters<typeof takeStep>[0],
  context: StatefulSetContext,
): Promise<StatefulSetStatus> {
  const { set } = observed;
  const { status: reached, error } = await takeStep(observed, context);
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

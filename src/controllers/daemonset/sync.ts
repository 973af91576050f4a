import { type DaemonSet, type Node, objectKey, type Pod, type Selector } from "../../api/mod.ts";
import { errorText, TurnBudget } from "../../base/mod.ts";
import { deleteRevisions } from "../revisions/mod.ts";
import { byKey, selectorOfCached, selectsEverything } from "../running/mod.ts";
import { changePods, writeStatus } from "./actions.ts";
import { allowsSurge, updateBounds } from "./bounds.ts";
import type { DaemonSetContext } from "./context.ts";
import { claimDaemonPods, groupByNode } from "./daemon_pods.ts";
import { type Eligibility, eligibilityOf } from "./eligibility.ts";
import { type DaemonHistory, planCleanup, syncHistory } from "./history.ts";
import { hashOf } from "./new_pod.ts";
import { planNode } from "./node_plan.ts";
import { planRollingUpdate } from "./rolling_update.ts";
import { countNodes } from "./status.ts";

/** The state of one sync; pods are read from caches again, because they may change meanwhile. */
interface Work {
  readonly daemonSet: DaemonSet;
  readonly selector: Selector;
  readonly nodes: readonly Node[];
  readonly eligibilityOf: (node: string) => Eligibility;
  /** The current revision's. */
  readonly hash: string;
  /** Each of a few thousand nodes and pods is visited several times. */
  readonly budget: TurnBudget;
  readonly context: DaemonSetContext;
}

/**
 * Brings one DaemonSet a step closer to what it asks for, and its status up to date.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (syncDaemonSet).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the caches are behind our own writes, or a write failed.
 */
export async function syncDaemonSet(key: string, context: DaemonSetContext): Promise<void> {
  const { world, recorder, daemonSets, expectations, guard } = context;
  guard.ensureReady(key);
  const daemonSet = byKey(daemonSets, key);
  if (!daemonSet) {
    expectations.delete(key);
    return guard.clear(key);
  }
  if (selectsEverything(daemonSet.spec?.selector)) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    return recorder.event(daemonSet, "Warning", "SelectingAll", message);
  }
  // Its dependents may already be terminating or gone, in any order, so nothing can be concluded from the caches.
  if (daemonSet.metadata?.deletionTimestamp) return;
  const selector = selectorOfCached(daemonSet.spec?.selector);
  const nodes = context.nodes.list();
  const history = await syncHistory(daemonSet, selector, context);
  const hash = hashOf(history.current);
  const budget = new TurnBudget(world.clock);
  const eligibilityOf = await eligibilities(daemonSet, nodes, budget);
  const work: Work = { daemonSet, selector, nodes, eligibilityOf, hash, budget, context };
  if (!expectations.isSatisfied(key)) return await updateStatus(work, { isObserved: false });
  let failure: unknown;
  try {
    await update(work, history);
  } catch (error) {
    failure = error;
  }
  try {
    await updateStatus(work, { isObserved: true });
  } catch (error) {
    if (failure === undefined) throw error;
    world.log.error("Failed to update status", { err: error, daemonSet: key });
  }
  if (failure !== undefined) throw failure;
}

/**
 * The eligibility of each node, computed once, because each toleration and affinity term may be compared with each
 * node.
 */
async function eligibilities(
  daemonSet: DaemonSet,
  nodes: readonly Node[],
  budget: TurnBudget,
): Promise<(node: string) => Eligibility> {
  const known = new Map<string, Eligibility>();
  for (const node of nodes) {
    if (budget.spent) await budget.nextTurn();
    known.set(nodeName(node), eligibilityOf(node, daemonSet));
  }
  return (name) => {
    const eligibility = known.get(name);
    if (!eligibility) throw new Error(`couldn't get node for nodeName "${name}": node "${name}" not found`);
    return eligibility;
  };
}

function nodeName({ metadata }: Node): string {
  return metadata?.name ?? "";
}

async function update(work: Work, { old }: DaemonHistory): Promise<void> {
  const { daemonSet, context } = work;
  await manage(work);
  // After a step with creations and deletions, an update waits until they are observed.
  const isSettled = context.expectations.isSatisfied(objectKey(daemonSet));
  if (isSettled && daemonSet.spec?.updateStrategy?.type === "RollingUpdate") await rollOut(work);
  try {
    await cleanHistory(work, old);
  } catch (error) {
    throw new Error(`failed to clean up revisions of DaemonSet: ${errorText(error)}`, { cause: error });
  }
}

/** Creates pods on nodes that need one, and deletes unwanted ones. Upstream: manage. */
async function manage(work: Work): Promise<void> {
  const { daemonSet, selector, nodes, hash, budget, context } = work;
  const { world } = context;
  const byNode = groupByNode(await claimDaemonPods(daemonSet, selector, { ...context, budget }));
  const deleted: Pod[] = [];
  const needing: string[] = [];
  for (const node of nodes) {
    if (budget.spent) await budget.nextTurn();
    const name = nodeName(node);
    const backoffKey = `${daemonSet.metadata?.uid}/${daemonSet.status?.observedGeneration ?? 0}/${name}`;
    const plan = planNode(byNode.get(name), {
      ...work.eligibilityOf(name),
      hash,
      minReadySeconds: daemonSet.spec?.minReadySeconds ?? 0,
      allowsSurge: allowsSurge(daemonSet),
      isHeldBack: context.failedPods.heldForMs(backoffKey) !== undefined,
      nowMs: world.clock.wallMs(),
    });
    if (plan.failed) retireFailed(plan.failed, { daemonSet, node: name, backoffKey }, context);
    for (const pod of plan.succeeded) {
      const message = `Found succeeded daemon pod ${objectKey(pod)} on node ${name}, will try to delete it`;
      context.recorder.event(daemonSet, "Normal", "SucceededDaemonPod", message);
    }
    if (plan.isHolding) {
      const delayMs = context.failedPods.heldForMs(backoffKey) ?? 0;
      context.queue.addAfter(objectKey(daemonSet), delayMs, { due: `backoff of failed pods on node/${name} passed` });
    }
    deleted.push(...plan.deleted);
    if (plan.isNeeded) needing.push(name);
  }
  deleted.push(...podsOfMissingNodes(byNode, nodes));
  await changePods(daemonSet, { deleted, needing, hash }, context);
}

function retireFailed(
  pod: Pod,
  { daemonSet, node, backoffKey }: { daemonSet: DaemonSet; node: string; backoffKey: string },
  { failedPods, recorder }: DaemonSetContext,
): void {
  failedPods.advance(backoffKey);
  const message = `Found failed daemon pod ${objectKey(pod)} on node ${node}, will try to kill it`;
  recorder.event(daemonSet, "Warning", "FailedDaemonPod", message);
}

/** Pods that wait for nodes that no longer exist. Bound ones are left to the pod garbage collector. */
function podsOfMissingNodes(byNode: ReadonlyMap<string, readonly Pod[]>, nodes: readonly Node[]): Pod[] {
  const names = new Set(nodes.map(nodeName));
  return [...byNode].flatMap(([name, pods]) => names.has(name) ? [] : pods.filter(({ spec }) => !spec?.nodeName));
}

/** Replaces pods of other revisions, as many at a time as allowed. */
async function rollOut(work: Work): Promise<void> {
  const { daemonSet, selector, nodes, hash, budget, context } = work;
  const byNode = new Map(groupByNode(await claimDaemonPods(daemonSet, selector, { ...context, budget })));
  const wanted = nodes.map(nodeName).filter((name) => work.eligibilityOf(name).shouldRun);
  for (const name of wanted) if (!byNode.has(name)) byNode.set(name, []);
  const plan = planRollingUpdate(byNode, {
    ...updateBounds(daemonSet, wanted.length),
    daemonSet,
    hash,
    desired: wanted.length,
    eligibilityOf: work.eligibilityOf,
    nowMs: context.world.clock.wallMs(),
  });
  await changePods(daemonSet, { ...plan, hash }, context);
}

async function cleanHistory(
  { daemonSet, selector, budget, context }: Work,
  old: DaemonHistory["old"],
): Promise<void> {
  const byNode = groupByNode(await claimDaemonPods(daemonSet, selector, { ...context, budget }), { withEnded: true });
  await deleteRevisions(planCleanup(daemonSet, old, [...byNode.values()].flat()), context);
}

async function updateStatus(work: Work, { isObserved }: { readonly isObserved: boolean }): Promise<void> {
  const { daemonSet, selector, budget, context } = work;
  const pods = groupByNode(await claimDaemonPods(daemonSet, selector, { ...context, budget }));
  const counts = countNodes({ ...work, pods, nowMs: context.world.clock.wallMs() });
  await writeStatus(daemonSet, { counts, isObserved }, context);
  // The timer of a pod that became ready may have fired too early.
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0;
  if (minReadySeconds <= 0 || counts.numberReady === counts.numberAvailable) return;
  context.queue.addAfter(objectKey(daemonSet), minReadySeconds * 1000, { due: "minReadySeconds passed" });
}

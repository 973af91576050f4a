import { TurnBudget } from "../../base/mod.ts";
import { findCondition, formatTime, objectKey, parseTime } from "../../api/mod.ts";
import { byKey } from "../running/mod.ts";
import { applyCondition } from "./actions.ts";
import type { DeviceEvictionContext } from "./context.ts";
import { concerns } from "./decision.ts";
import { matchesDevice, type Rule } from "./evicting_rules.ts";
import { RULE_ITEM } from "./items.ts";
import { type RuleCounts, statement } from "./rule_words.ts";
import { keysOfUsers } from "./users.ts";

const CONDITION = "EvictionInProgress";
/** The shortest interval between status writes of a rule. */
const PERIOD_MS = 10_000;

/** Queues the status of rules after ten seconds, to combine further changes. */
export function queueRules(
  names: Iterable<string>,
  why: string,
  { queue }: Pick<DeviceEvictionContext, "queue">,
): void {
  for (const name of names) queue.addAfter(RULE_ITEM + name, PERIOD_MS, why);
}

/**
 * Writes to a rule's status how many pods it evicts, or would evict.
 * Upstream: `pkg/controller/devicetainteviction/device_taint_eviction.go` (maybeUpdateRuleStatus).
 *
 * @throws {Error} If it could not be written.
 */
export async function syncRule(name: string, context: DeviceEvictionContext): Promise<void> {
  const { world: { clock }, queue } = context;
  const rule = byKey(context.ruleLister, name);
  if (!rule) return;
  const before = findCondition(rule.status?.conditions, CONDITION);
  const generation = rule.metadata?.generation;
  if (before && before.observedGeneration === generation) {
    const agoMs = clock.wallMs() - parseTime(before.lastTransitionTime);
    if (agoMs < PERIOD_MS) return queue.addAfter(RULE_ITEM + name, Math.min(PERIOD_MS, PERIOD_MS - agoMs));
  }
  const said = statement(rule.spec.taint.effect, await count(rule, context));
  const isSame = before && before.observedGeneration === generation &&
    (["status", "reason", "message"] as const).every((field) => before[field] === said[field]);
  if (isSame) return;
  const lastTransitionTime = formatTime(clock.wallMs());
  await applyCondition(rule, { type: CONDITION, ...said, observedGeneration: generation, lastTransitionTime }, context);
}

async function count(rule: Rule, context: DeviceEvictionContext): Promise<RuleCounts> {
  const budget = new TurnBudget(context.world.clock);
  const pods = new Set<string>();
  const namespaces = new Set<string>();
  let [published, allocated] = [0, 0];
  const { effect } = rule.spec.taint;
  const isAboutPods = effect === "NoExecute" || effect === "None";
  for (const claim of isAboutPods ? context.claims.list() : []) {
    if (budget.spent) await budget.nextTurn();
    const matching = claim.status?.allocation?.devices?.results?.filter((result) => matchesDevice(rule, result)) ?? [];
    if (matching.length === 0) continue;
    allocated += matching.length;
    for (const key of keysOfUsers(claim, { pods: context.podIndexer, withGroups: context.withGroups })) {
      if (pods.has(key) || !isPending(key, rule, context)) continue;
      pods.add(key);
      namespaces.add(claim.metadata?.namespace ?? "");
    }
  }
  for (const slice of effect === "None" ? context.slices.list() : []) {
    if (budget.spent) await budget.nextTurn();
    if (!context.devices.isCurrent(slice)) continue;
    const { driver, pool, devices = [] } = slice.spec;
    published += devices.filter(({ name }) => matchesDevice(rule, { driver, pool: pool.name, device: name })).length;
  }
  const evicted = context.evictedBy.get(rule.metadata?.uid ?? "") ?? 0;
  return { pods: pods.size, namespaces: namespaces.size, published, allocated, evicted };
}

/** Whether a pod is yet to be evicted because of a rule, or would be. */
function isPending(key: string, rule: Rule, context: DeviceEvictionContext): boolean {
  const pod = byKey(context.pods, key);
  if (!pod || pod.metadata?.deletionTimestamp) return false;
  const standing = context.standings.get(objectKey(pod));
  if (standing?.state === "evicted" && standing.uid === pod.metadata?.uid) return false;
  return concerns(rule, pod, context);
}

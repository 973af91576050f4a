import {
  addAmounts,
  type Amounts,
  amountsText,
  excessAmounts,
  filterAmounts,
  formatAmounts,
  isTerminatingPod,
  type QuotaEvaluator,
  quotaEvaluator,
  quotaMatches,
  quotaStatus,
} from "../../../rules/mod.ts";
import { compareUtf8 } from "../../../base/mod.ts";
import { type Pod, type ResourceQuota } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { recordUpdate } from "../apply/mod.ts";
import { type Admission, type Commit, type Operation, refusal, systemOperation } from "../operations/mod.ts";
import { smallList } from "./small_lists.ts";
import { storedDevices } from "./stored_devices.ts";

type StoredQuota = ResourceQuota & StoredObject;

const QUOTAS = "resourcequotas";

/** Kinds that quotas do not count. Upstream: `pkg/quota/v1/install/registry.go`. */
const UNCOUNTED = ["events", "events.events.k8s.io"];

/** A quota that applies to the write. */
interface Interested {
  readonly quota: StoredQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/**
 * Checks that the write stays within the quotas of its namespace, and charges it to them. Upstream:
 * `apiserver/pkg/admission/plugin/resourcequota/controller.go` (CheckRequest).
 *
 * @returns Writes the charges, if there are any.
 */
export function chargeQuotas(admission: Admission): Commit | void {
  const { state, namespace, served } = admission.operation;
  if (namespace === "" || UNCOUNTED.includes(served.collection)) return;
  const quotas = smallList<ResourceQuota>(state.store, QUOTAS, namespace);
  if (quotas.length === 0) return;
  const evaluator = quotaEvaluator(served, { devices: storedDevices(state.store) });
  const interested = quotas.filter((quota) => quotaMatches(quota, evaluator, admission.object))
    .map((quota) => interestedIn(admission, evaluator, quota));
  if (interested.length === 0) return;
  const usage = usageOf(admission, evaluator, interested);
  const charges = interested.flatMap((each) => chargeTo(admission, each, usage(each.quota)));
  if (charges.length > 0) return () => charges.forEach((charge) => charge());
}

/** Updates of pods are charged only if the pod changes scope; nothing else that counts can change. */
export function chargeScopeChange(admission: Admission<Pod>): Commit | void {
  const { object, old } = admission;
  if (old && isTerminatingPod(object) !== isTerminatingPod(old)) return chargeQuotas(admission);
}

/** Makes sure that the object sets what the quota requires, such as requests. */
function interestedIn(admission: Admission, evaluator: QuotaEvaluator, quota: StoredQuota): Interested {
  const { hard, used } = quotaStatus(quota);
  const limited = [...hard.keys()].filter((name) => evaluator.measures(name)).sort(compareUtf8);
  const { name } = quota.metadata;
  const unstated = evaluator.unstated(admission.object, limited);
  if (unstated) throw refusal(admission, `failed quota: ${name}: ${unstated}`);
  if (limited.some((each) => !used.has(each))) {
    throw refusal(admission, `status unknown for quota: ${name}, resources: ${limited.join(",")}`);
  }
  return { quota, hard, used };
}

/** What the write adds to a quota: the object's usage, or the increase if the old object counted already. */
function usageOf(
  admission: Admission,
  evaluator: QuotaEvaluator,
  interested: readonly Interested[],
): (quota: StoredQuota) => Amounts {
  const { object, old, operation } = admission;
  const nowMs = operation.state.world.clock.wallMs();
  const whole = evaluator.usage(object, nowMs);
  const negative = [...whole].filter(([, amount]) => amount.sign < 0).map(([name]) => name).sort(compareUtf8);
  if (negative.length > 0) throw refusal(admission, `quota usage is negative for resource(s): ${negative.join(",")}`);
  if (!old) return () => whole;
  const growth = excessAmounts(whole, evaluator.usage(old, nowMs));
  const counted = new Set(interested.map(({ quota }) => quota).filter((quota) => quotaMatches(quota, evaluator, old)));
  return (quota) => counted.has(quota) ? growth : whole;
}

/** Writes the quota's usage after the write; nothing if the write does not change it. */
function chargeTo(admission: Admission, { quota, hard, used }: Interested, usage: Amounts): Commit[] {
  const requested = filterAmounts(usage, (name, amount) => hard.has(name) && !amount.isZero);
  if (requested.size === 0) return [];
  const total = addAmounts(used, requested);
  const isExceeded = (name: string) => requested.has(name) && total.get(name)!.compare(hard.get(name)!) > 0;
  if (admission.moment !== "update/status" && [...requested.keys()].some(isExceeded)) {
    const shown = (amounts: Amounts) => amountsText(filterAmounts(amounts, isExceeded));
    const why = `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, used: ${shown(used)}, ` +
      `limited: ${shown(hard)}`;
    throw refusal(admission, why);
  }
  return [() => charge(admission.operation, quota, total)];
}

function charge({ state, namespace }: Operation, quota: StoredQuota, used: Amounts): void {
  const operation = systemOperation(state, QUOTAS, namespace);
  const charged = { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used: formatAmounts(used) } };
  recordUpdate(operation, charged, quota, "status");
  state.store.put(QUOTAS, `${namespace}/${quota.metadata.name}`, charged);
}

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
import { type SmallCollection, smallList } from "./small_lists.ts";
import { storedDevices } from "./stored_devices.ts";

type StoredQuota = ResourceQuota & StoredObject;

const QUOTAS: SmallCollection<ResourceQuota> = { name: "resourcequotas" };

/** Kinds that no quota counts. Upstream: `pkg/quota/v1/install/registry.go`. */
const UNCOUNTED = ["events", "events.events.k8s.io"];

/** A quota that the write has to do with. */
interface Interested {
  readonly quota: StoredQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

/**
 * What the write uses stays within the quotas of its namespace, and is charged to them with it. Upstream:
 * `apiserver/pkg/admission/plugin/resourcequota/controller.go` (CheckRequest).
 *
 * @returns What writes the charges, where there are any.
 */
export function chargeQuotas(admission: Admission): Commit | void {
  const { state, namespace, served } = admission.operation;
  if (namespace === "" || UNCOUNTED.includes(served.collection)) return;
  const quotas = smallList(state.store, QUOTAS, namespace);
  if (quotas.length === 0) return;
  const evaluator = quotaEvaluator(served, { devices: storedDevices(state.store) });
  const interested = quotas.filter((quota) => quotaMatches(quota, evaluator, admission.object))
    .map((quota) => interestedIn(admission, evaluator, quota));
  if (interested.length === 0) return;
  const usage = usageOf(admission, evaluator, interested);
  const charges = interested.flatMap((each) => chargeTo(admission, each, usage(each.quota)));
  if (charges.length > 0) return () => charges.forEach(({ quota, used }) => charge(admission.operation, quota, used));
}

/** An update of a pod matters where it comes to be of another scope: nothing else that counts can change. */
export function chargeScopeChange(admission: Admission<Pod>): Commit | void {
  const { object, old } = admission;
  if (old && isTerminatingPod(object) !== isTerminatingPod(old)) return chargeQuotas(admission);
}

/** Checks what a quota wants to know before it counts. */
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

/** What the write adds to a quota: the object's usage, or its growth where the old one already counted there. */
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

interface Charge {
  readonly quota: StoredQuota;
  readonly used: Amounts;
}

/** What a quota has used afterwards; nothing where the write does not touch it. */
function chargeTo(admission: Admission, { quota, hard, used }: Interested, usage: Amounts): Charge[] {
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
  return [{ quota, used: total }];
}

function charge({ state, namespace }: Operation, quota: StoredQuota, used: Amounts): void {
  const operation = systemOperation(state, QUOTAS.name, namespace);
  const charged = { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used: formatAmounts(used) } };
  recordUpdate(operation, charged, quota, "status");
  state.store.put(QUOTAS.name, `${namespace}/${quota.metadata.name}`, charged);
}

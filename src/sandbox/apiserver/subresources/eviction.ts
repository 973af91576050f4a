import { isPodReady } from "../../../rules/mod.ts";
import { type Pod, type PodDisruptionBudget, selectorOf } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerSuccess } from "../requests/mod.ts";
import { badRequest, plainError } from "../base/mod.ts";
import { answerOptions, checkDeleteOptions, type Exchange, type SentOptions, storedObject } from "../exchange/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { structOf } from "../schema/mod.ts";
import { checkDeletePreconditions, deleteObject, type DeleteOptions, updateObject } from "../writes/mod.ts";
import { checkBudget, type StoredBudget } from "./disruption_budget.ts";
import { readPosted } from "./posted.ts";

const PDBS = "poddisruptionbudgets.policy";
const EVICTION = { group: "policy", version: "v1", kind: "Eviction", struct: structOf("policy.v1.Eviction") };

type StoredPod = Pod & StoredObject;

interface Eviction {
  readonly metadata?: { readonly name?: string };
  readonly deleteOptions?: SentOptions;
}

/** Deletes a pod if its disruption budget allows. Upstream: `pkg/registry/core/pod/storage/eviction.go`. */
export async function handleEviction(exchange: Exchange): Promise<Response> {
  // Upstream also accepts the older version.
  const { operation: asked, posted: eviction } = await readPosted<Eviction>(exchange, EVICTION, ["policy/v1beta1"]);
  if (eviction.metadata?.name !== exchange.route.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const options = eviction.deleteOptions ?? {};
  const operation = { ...asked, dryRun: checkDeleteOptions(options) || asked.dryRun };
  const pod = storedObject(exchange) as StoredPod;
  if (!leavesAnyway(pod)) spendBudget(operation, pod);
  checkDeletePreconditions(operation, pod, options);
  evict(operation, pod, options);
  return answerSuccess(answerOptions(exchange, 201));
}

/** Whether no budget applies, because the pod does not run or is being deleted already. */
function leavesAnyway({ metadata, status }: Pod): boolean {
  return Boolean(metadata?.deletionTimestamp) || ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");
}

function spendBudget(operation: Operation, pod: StoredPod): void {
  const { store } = operation.state;
  const budgets = [...store.list(PDBS, { prefix: `${pod.metadata.namespace}/` }) ?? []]
    .map(({ object }) => object as StoredBudget)
    .filter(({ spec }) => spec?.selector && selectorOf(spec.selector).matches(pod.metadata.labels));
  if (budgets.length > 1) {
    throw plainError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (!budget || (!isPodReady(pod) && allowsUnhealthy(budget))) return;
  checkBudget(budget);
  if (operation.dryRun) return;
  // Upstream writes it as a separate client.
  const pdbs = { ...operation, served: operation.state.resources.stored(PDBS)!, fieldManager: "kube-apiserver" };
  updateObject(pdbs, budget.metadata.name!, () => spent(operation, budget, pod), { subresource: "status" });
}

/** Whether the budget's policy allows to evict the pod although it is not ready. */
function allowsUnhealthy({ spec, status }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function spent({ state }: Operation, budget: StoredBudget, pod: StoredPod): StoredBudget {
  const copy = deepCopy(budget);
  const status = copy.status ??= { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [pod.metadata.name!]: nowText(state) };
  if (status.disruptionsAllowed > 0) return copy;
  const before = status.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const exhausted = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : nowText(state),
  };
  status.conditions = [...status.conditions?.filter(({ type }) => type !== exhausted.type) ?? [], exhausted];
  return copy;
}

/** Records the reason in the pod's status and deletes the pod. */
function evict(operation: Operation, pod: StoredPod, options: DeleteOptions): void {
  const name = pod.metadata.name!;
  if (operation.dryRun) return void deleteObject(operation, name, options);
  const { object } = updateObject(operation, name, (old) => disrupted(operation, deepCopy(old!) as StoredPod), {
    subresource: "status",
    keepsManagers: true,
  });
  // The request's preconditions were checked before this write.
  const { uid, resourceVersion } = options.preconditions ?? {};
  const held = { uid, ...resourceVersion ? { resourceVersion: object.metadata.resourceVersion } : {} };
  deleteObject(operation, name, { ...options, preconditions: held });
}

function disrupted({ state }: Operation, pod: StoredPod): StoredPod {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: nowText(state),
  };
  const others = pod.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  pod.status = { ...pod.status, conditions: [...others, condition] };
  return pod;
}

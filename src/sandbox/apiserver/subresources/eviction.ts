import { isPodReady, type Pod, type PodDisruptionBudget, selectorOf, type StatusCause } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerSuccess } from "../answers.ts";
import { readObject } from "../body.ts";
import { ApiError, badRequest, conflict, forbidden, internalError, tooManyRequests } from "../errors.ts";
import { type Exchange, operationOf } from "../exchange.ts";
import { storedObject } from "../handlers/read.ts";
import { nowText } from "../environment.ts";
import type { Operation } from "../operation.ts";
import { deleteObject, type DeleteOptions } from "../writes/delete.ts";
import { updateObject } from "../writes/update.ts";

const PDBS = "poddisruptionbudgets.policy";
const MOST_DISRUPTED_PODS = 2000;
const RETRY_SECONDS = 10;

type StoredBudget = PodDisruptionBudget & StoredObject;
type StoredPod = Pod & StoredObject;

/** Deletes a pod if its disruption budget allows. Upstream: `pkg/registry/core/pod/storage/eviction.go`. */
export async function handleEviction(exchange: Exchange): Promise<Response> {
  const body = await readObject(exchange.request);
  const operation = operationOf(exchange);
  const name = (body.metadata as { name?: string } | undefined)?.name;
  if (name && name !== exchange.route.name) throw badRequest("name in URL does not match name in Eviction object");
  const pod = storedObject(exchange) as StoredPod;
  const options = (body.deleteOptions ?? {}) as DeleteOptions;
  checkUid(operation, pod, options);
  if (!leavesAnyway(pod)) {
    spendBudget(operation, pod);
    markDisrupted(operation, pod);
  }
  deleteObject(operation, exchange.route.name, options);
  return answerSuccess({ status: 201, yaml: exchange.form.yaml });
}

function checkUid({ served }: Operation, { metadata }: StoredPod, { preconditions }: DeleteOptions): void {
  if (!preconditions?.uid || preconditions.uid === metadata.uid) return;
  throw conflict(
    served,
    metadata.name!,
    `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid})`,
  );
}

/** Whether no budget has to be asked: the pod does not run, or goes already. */
function leavesAnyway({ metadata, status }: Pod): boolean {
  return Boolean(metadata?.deletionTimestamp) || ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");
}

function spendBudget(operation: Operation, pod: StoredPod): void {
  const { store } = operation.state;
  const budgets = [...store.list(PDBS, { prefix: `${pod.metadata.namespace}/` }) ?? []]
    .map(({ object }) => object as StoredBudget)
    .filter(({ spec }) => spec?.selector && selectorOf(spec.selector).matches(pod.metadata.labels));
  if (budgets.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError(500, "InternalError", message, internalError(message).details);
  }
  const [budget] = budgets;
  if (!budget || (!isPodReady(pod) && allowsUnhealthy(budget))) return;
  checkBudget(budget);
  const pdbs = { ...operation, served: operation.state.resources.stored(PDBS)! };
  updateObject(pdbs, budget.metadata.name!, () => spent(operation, budget, pod), { subresource: "status" });
}

/** A pod that is not ready counts for nothing; whether it may go depends on the budget's policy. */
function allowsUnhealthy({ spec, status }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

function checkBudget({ metadata, status }: StoredBudget): void {
  const name = metadata.name!;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0, disruptedPods = {} } = status ?? {};
  const cannot = "Cannot evict pod as it would violate the pod's disruption budget.";
  const cause = (message: string): StatusCause => ({ reason: "DisruptionBudget", message });
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    const why = `The disruption budget ${name} is still being processed by the server.`;
    throw tooManyRequests(cannot, RETRY_SECONDS, [cause(why)]);
  }
  const subject = { group: "policy", plural: "poddisruptionbudgets", kind: "PodDisruptionBudget" };
  if (disruptionsAllowed < 0) throw forbidden(subject, name, "pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED_PODS) {
    throw forbidden(subject, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed > 0) return;
  const why = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  throw new ApiError(429, "TooManyRequests", cannot, { causes: [cause(why)] });
}

function spent({ state }: Operation, budget: StoredBudget, pod: StoredPod): StoredBudget {
  const copy = deepCopy(budget);
  const status = copy.status ??= { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [pod.metadata.name!]: nowText(state) };
  if (status.disruptionsAllowed > 0) return copy;
  const exhausted = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: nowText(state),
  };
  status.conditions = [...status.conditions?.filter(({ type }) => type !== exhausted.type) ?? [], exhausted];
  return copy;
}

/** Says in the pod's status why it went. */
function markDisrupted(operation: Operation, pod: StoredPod): void {
  const change = (old: StoredObject | undefined) => {
    const copy = deepCopy(old!) as StoredPod;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
      lastTransitionTime: nowText(operation.state),
    };
    copy.status = {
      ...copy.status,
      conditions: [...copy.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [], condition],
    };
    return copy;
  };
  updateObject(operation, pod.metadata.name!, change, { subresource: "status" });
}

import type { Binding, Pod, PodCondition } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import { topologyLabels } from "../admission/mod.ts";
import { answerSuccess } from "../requests/mod.ts";
import { badRequest, conflict, plainError } from "../base/mod.ts";
import { answerOptions, type Exchange } from "../exchange/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { structOf } from "../schema/mod.ts";
import { checkNamespace, checkPreconditions, updateObject } from "../writes/mod.ts";
import { readPosted } from "./posted.ts";

const BINDING = { group: "", version: "v1", kind: "Binding", struct: structOf("core.v1.Binding") };

/** Binds a pod to a node. Upstream: `pkg/registry/core/pod/storage` (BindingREST). */
export async function handleBinding(exchange: Exchange): Promise<Response> {
  const { route, state } = exchange;
  const { operation: asked, posted: binding } = await readPosted<Binding>(exchange, BINDING);
  const operation = { ...asked, served: state.resources.stored("pods")! };
  const { metadata = {} } = binding;
  const { name } = metadata;
  checkNamespace(operation, { metadata });
  if (route.subresource === "binding" && name !== route.name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  checkTarget(binding);
  // Upstream's field manager does not see this write, so nobody owns what a binding sets.
  updateObject(operation, name ?? "", (old) => bound(operation, deepCopy(old!) as StoredPod, binding), {
    subresource: "binding",
    keepsManagers: true,
  });
  return answerSuccess(answerOptions(exchange, 201));
}

function checkTarget({ target }: Binding): void {
  const { kind, name } = target ?? {};
  if (kind && kind !== "Node") {
    throw plainError(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if (!name) throw plainError("target.name: Required value");
}

type StoredPod = Pod & ReturnType<Parameters<typeof updateObject>[2]>;

function bound(operation: Operation, pod: StoredPod, { metadata, target }: Binding): StoredPod {
  const { state } = operation;
  const spec = pod.spec ??= { containers: [] };
  const { uid, resourceVersion } = metadata ?? {};
  checkPreconditions(operation.served, pod.metadata, {
    uid: uid || undefined,
    resourceVersion: resourceVersion || undefined,
  });
  refuseBound(operation, pod);
  spec.nodeName = target.name;
  const { annotations, labels } = metadata ?? {};
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  // Upstream's plugin sets the node's labels over those of a Binding, if that says what its target is.
  const ofNode = target.kind === "Node" ? topologyLabels(state.store, target.name!) : {};
  const allLabels = { ...pod.metadata.labels, ...labels, ...ofNode };
  if (Object.keys(allLabels).length > 0) pod.metadata.labels = allLabels;
  const status = pod.status ??= {};
  delete status.nominatedNodeName;
  const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastTransitionTime: nowText(state) };
  status.conditions = [...status.conditions?.filter(({ type }) => type !== "PodScheduled") ?? [], scheduled];
  return pod;
}

function refuseBound({ served }: Operation, { metadata, spec }: StoredPod): void {
  const name = metadata.name!;
  const refuse = (why: string) => conflict({ ...served, plural: "pods/binding" }, name, why);
  if (metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec?.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if (spec?.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}

import type { Binding, Node, Pod, PodCondition } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import { answerSuccess } from "../answers.ts";
import { readObject } from "../body.ts";
import { badRequest, conflict } from "../errors.ts";
import { type Exchange, operationOf } from "../exchange.ts";
import { nowText } from "../environment.ts";
import type { Operation, ServerState } from "../operation.ts";
import { structOf } from "../schema/types.ts";
import { decodeAs } from "../writes/decode.ts";
import { updateObject } from "../writes/update.ts";

const BINDING = structOf("core.v1.Binding")!;
/** Labels that a pod takes over from its node. Upstream: `plugin/pkg/admission/podtopologylabels`. */
const TOPOLOGY_LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** Puts a pod on a node. Upstream: `pkg/registry/core/pod/storage` (BindingREST). */
export async function handleBinding(exchange: Exchange): Promise<Response> {
  // Normalised to the struct, it has the shape of the type.
  const binding = decodeAs(await readObject(exchange.request), BINDING) as unknown as Binding;
  const podName = exchange.route.subresource === "binding" ? exchange.route.name : binding.metadata?.name ?? "";
  if (binding.metadata?.name !== podName) throw badRequest("name in URL does not match name in Binding object");
  const nodeName = binding.target?.name;
  if (!nodeName) throw badRequest("a binding must name its target");
  const operation = { ...operationOf(exchange), served: exchange.state.resources.stored("pods")! };
  updateObject(operation, podName, (old) => bound(operation, deepCopy(old!) as StoredPod, binding), {
    subresource: "binding",
  });
  return answerSuccess({ status: 201, yaml: exchange.form.yaml });
}

type StoredPod = Pod & ReturnType<Parameters<typeof updateObject>[2]>;

function bound(operation: Operation, pod: StoredPod, { metadata, target }: Binding): StoredPod {
  const { served, state } = operation;
  const name = pod.metadata.name!;
  const spec = pod.spec ??= { containers: [] };
  const refuse = (why: string) => conflict({ ...served, plural: "pods/binding" }, name, why);
  const { uid, resourceVersion, annotations, labels } = metadata ?? {};
  if (uid && uid !== pod.metadata.uid) {
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  }
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) {
    throw refuse(`Precondition failed: ResourceVersion in precondition: ${resourceVersion}`);
  }
  if (pod.metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${spec.nodeName}"`);
  if (spec.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = target.name;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  const allLabels = { ...pod.metadata.labels, ...topologyOf(state, target.name!), ...labels };
  if (Object.keys(allLabels).length > 0) pod.metadata.labels = allLabels;
  const status = pod.status ??= {};
  delete status.nominatedNodeName;
  const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastTransitionTime: nowText(state) };
  status.conditions = [...status.conditions?.filter(({ type }) => type !== "PodScheduled") ?? [], scheduled];
  return pod;
}

function topologyOf({ store }: ServerState, nodeName: string): Record<string, string> {
  const labels = (store.get("nodes", nodeName) as Node | undefined)?.metadata?.labels ?? {};
  return Object.fromEntries(TOPOLOGY_LABELS.filter((key) => labels[key]).map((key) => [key, labels[key]]));
}

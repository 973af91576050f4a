import { type Node, type Pod, Quantity } from "../../../api/mod.ts";
import { podRequests } from "../../../rules/mod.ts";
import { type Admission, refusal } from "../operations/mod.ts";

const OS_LABEL = "kubernetes.io/os";

/** A running pod cannot grow beyond its node's allocatable resources. Upstream: `plugin/pkg/admission/podresize`. */
export function keepWithinNode(admission: Admission<Pod>): void {
  const { object, old, operation } = admission;
  const nodeName = object.spec?.nodeName;
  if (!nodeName || object.metadata.generation === old?.metadata.generation) return;
  const node = operation.state.store.get("nodes", nodeName) as Node | undefined;
  if (!node) throw refusal(admission, `node ${JSON.stringify(nodeName)} not found`);
  const os = node.metadata?.labels?.[OS_LABEL] ?? "linux";
  if (os !== "linux") {
    const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${
      JSON.stringify(os)
    }`;
    throw refusal(admission, why, [{ reason: "UnsupportedPlatform" }]);
  }
  const excess = excessOver(node, object);
  if (excess.length === 0) return;
  const why = `node didn't have enough allocatable resources: ${excess.join("; ")}`;
  throw refusal(admission, why, [{ reason: "NodeCapacity" }]);
}

function excessOver({ status }: Node, pod: Pod): string[] {
  const requests = podRequests(pod);
  const excess: string[] = [];
  for (const name of ["cpu", "memory"] as const) {
    const requested = requests.get(name) ?? Quantity.ZERO;
    const allocatable = Quantity.parse(status?.allocatable?.[name]);
    if (requested.compare(allocatable) <= 0) continue;
    const show = (amount: Quantity) => name === "cpu" ? amount.milliRoundedUp() : amount.roundedUp();
    excess.push(`${name}, requested: ${show(requested)}, allocatable: ${show(allocatable)}`);
  }
  return excess;
}

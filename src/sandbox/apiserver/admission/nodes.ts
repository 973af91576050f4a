import { type Node, type Pod, TOPOLOGY_REGION_LABEL, TOPOLOGY_ZONE_LABEL } from "../../../api/mod.ts";
import type { Store } from "../../storage/mod.ts";
import type { Admission } from "../operations/mod.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** Taints a new node, so that it gets no pods before it is ready. Upstream: `plugin/pkg/admission/nodetaint`. */
export function addNotReadyTaint({ object }: Admission<Node>): void {
  const spec = object.spec ??= {};
  if (spec.taints?.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
  spec.taints = [...spec.taints ?? [], { ...NOT_READY }];
}

/** Copies the topology labels of a pod's node to the pod. Upstream: `plugin/pkg/admission/podtopologylabels`. */
export function addTopologyLabels({ object, operation }: Admission<Pod>): void {
  if (!object.spec?.nodeName) return;
  const copied = topologyLabels(operation.state.store, object.spec.nodeName);
  if (Object.keys(copied).length > 0) object.metadata.labels = { ...object.metadata.labels, ...copied };
}

/** The labels that pods take over from their node. */
export function topologyLabels(store: Pick<Store, "get">, nodeName: string): Record<string, string> {
  const labels = store.get("nodes", nodeName)?.metadata.labels ?? {};
  const keys = [TOPOLOGY_ZONE_LABEL, TOPOLOGY_REGION_LABEL].filter((key) => labels[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, labels[key]]));
}

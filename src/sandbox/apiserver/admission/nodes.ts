import { type Node, type Pod, TOPOLOGY_REGION_LABEL, TOPOLOGY_ZONE_LABEL } from "../../../api/mod.ts";
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
  const labels = operation.state.store.get("nodes", object.spec.nodeName)?.metadata.labels ?? {};
  const copied = [TOPOLOGY_ZONE_LABEL, TOPOLOGY_REGION_LABEL].filter((key) => labels[key] !== undefined);
  if (copied.length === 0) return;
  object.metadata.labels = {
    ...object.metadata.labels,
    ...Object.fromEntries(copied.map((key) => [key, labels[key]])),
  };
}

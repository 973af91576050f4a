import { type DaemonSet, matchesNodeAffinity, type Node, type Pod, type PodTemplateSpec } from "../../api/mod.ts";
import { untoleratedTaint } from "../../rules/mod.ts";
import { daemonTolerations } from "./tolerations.ts";

/** A DaemonSet's decision about a node. */
export interface Eligibility {
  /** Whether a pod should run there. */
  readonly shouldRun: boolean;
  /** Whether a pod that runs there may stay. */
  readonly shouldContinue: boolean;
}

const NEVER: Eligibility = { shouldRun: false, shouldContinue: false };

/** Pods by template. Cached templates never change. */
const models = new WeakMap<PodTemplateSpec, Pod>();

/**
 * Whether a DaemonSet wants a pod on a node. Resources, ports, conditions and cordons do not matter.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (NodeShouldRunDaemonPod).
 */
export function eligibilityOf(node: Node, daemonSet: DaemonSet): Eligibility {
  const pod = modelOf(daemonSet.spec!.template);
  const wantedNode = pod.spec?.nodeName;
  if (wantedNode && wantedNode !== node.metadata?.name) return NEVER;
  if (!matchesNodeAffinity(pod, node)) return NEVER;
  const untolerated = (effects?: readonly string[]) =>
    untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, effects) !== undefined;
  if (!untolerated()) return { shouldRun: true, shouldContinue: true };
  return { shouldRun: false, shouldContinue: !untolerated(["NoExecute"]) };
}

function modelOf(template: PodTemplateSpec): Pod {
  let model = models.get(template);
  if (!model) {
    const spec = template.spec ?? { containers: [] };
    // Numeric operators tolerate nothing: their feature is off.
    const tolerations = daemonTolerations(spec).filter(({ operator }) => operator !== "Lt" && operator !== "Gt");
    models.set(template, model = { spec: { ...spec, tolerations } });
  }
  return model;
}

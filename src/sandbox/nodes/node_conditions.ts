import { findCondition, type Node, type NodeCondition } from "../../api/mod.ts";

/**
 * The annotations with which a Node controls its simulated kubelet.
 *
 * | annotation | value | effect |
 * |---|---|---|
 * | `kubeloop.dev/stopped` | `true` | the kubelet is dead: it reports nothing, its pods stay as they are |
 * | `kubeloop.dev/conditions` | `MemoryPressure=True,Ready=False` | these conditions are reported |
 */
export const STOPPED_ANNOTATION = "kubeloop.dev/stopped";
const CONDITIONS_ANNOTATION = "kubeloop.dev/conditions";

type Words = readonly [reason: string, message: string];

/** A condition's type, its status on a healthy node, and the kubelet's reason and message for either status. */
const CONDITIONS: readonly (readonly [type: string, healthy: string, whenTrue: Words, whenFalse: Words])[] = [
  [
    "MemoryPressure",
    "False",
    ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available"],
    ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ],
  [
    "DiskPressure",
    "False",
    ["KubeletHasDiskPressure", "kubelet has disk pressure"],
    ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ],
  [
    "PIDPressure",
    "False",
    ["KubeletHasInsufficientPID", "kubelet has insufficient PID available"],
    ["KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ],
  [
    "Ready",
    "True",
    ["KubeletReady", "kubelet is posting ready status"],
    ["KubeletNotReady", "container runtime network not ready: simulated"],
  ],
];

/**
 * The conditions that a node's kubelet reports; one whose status does not change keeps its transition time.
 * Upstream: `pkg/kubelet/nodestatus/setters.go`.
 *
 * @param before The present node, whose annotations may ask for other conditions than a healthy node's.
 */
export function nodeConditions(before: Node | undefined, now: string): NodeCondition[] {
  return CONDITIONS.map(([type, healthy, whenTrue, whenFalse]) => {
    const status = wantedStatuses(before).get(type) ?? healthy;
    const [reason, message] = status === "True" ? whenTrue : whenFalse;
    const old = findCondition(before?.status?.conditions, type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime ?? now : now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  });
}

/** Whether a node's conditions differ from its kubelet's, because somebody else wrote them or they must change. */
export function conditionsDiffer(node: Node): boolean {
  return CONDITIONS.some(([type, healthy]) =>
    findCondition(node.status?.conditions, type)?.status !== (wantedStatuses(node).get(type) ?? healthy)
  );
}

function wantedStatuses(node: Node | undefined): ReadonlyMap<string, string> {
  const text = node?.metadata?.annotations?.[CONDITIONS_ANNOTATION];
  if (!text) return new Map();
  const pairs = text.split(",").map((item) => item.split("=").map((part) => part.trim()));
  return new Map(
    pairs.flatMap(([type, status]): [string, string][] =>
      status === "True" || status === "False" ? [[type, status]] : []
    ),
  );
}

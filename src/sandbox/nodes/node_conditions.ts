import { findCondition, type Node, type NodeCondition } from "../../api/mod.ts";

/**
 * The annotations by which a Node says what its simulated kubelet is to do.
 *
 * | annotation | value | effect |
 * |---|---|---|
 * | `kubeloop.dev/stopped` | `true` | the kubelet is dead: nothing is renewed or reported, its pods stay as they are |
 * | `kubeloop.dev/conditions` | `MemoryPressure=True,Ready=False` | these conditions are reported so |
 */
export const STOPPED_ANNOTATION = "kubeloop.dev/stopped";
const CONDITIONS_ANNOTATION = "kubeloop.dev/conditions";

type Words = readonly [reason: string, message: string];

/** A condition's type, its status on a healthy node, and what a kubelet says when it is true and when it is false. */
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
 * The conditions that a node's kubelet reports now; one whose status stays keeps the time of its last transition.
 * Upstream: `pkg/kubelet/nodestatus/setters.go`.
 *
 * @param before The node as it is, which may ask for other conditions than a healthy node's.
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

/** Whether a node's conditions are not what its kubelet would say: somebody else wrote them, or they are to change. */
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

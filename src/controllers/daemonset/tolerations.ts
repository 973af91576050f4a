import { deepEqual } from "../../base/mod.ts";
import type { PodSpec, Toleration } from "../../api/mod.ts";

const taint = (name: string) => `node.kubernetes.io/${name}`;

/** What every daemon pod tolerates, in the order in which it is added. */
const ALWAYS: readonly Toleration[] = [
  { key: taint("not-ready"), operator: "Exists", effect: "NoExecute" },
  { key: taint("unreachable"), operator: "Exists", effect: "NoExecute" },
  { key: taint("disk-pressure"), operator: "Exists", effect: "NoSchedule" },
  { key: taint("memory-pressure"), operator: "Exists", effect: "NoSchedule" },
  { key: taint("pid-pressure"), operator: "Exists", effect: "NoSchedule" },
  { key: taint("unschedulable"), operator: "Exists", effect: "NoSchedule" },
];

/** What a daemon pod on its node's network also tolerates. */
const ON_HOST_NETWORK: Toleration = { key: taint("network-unavailable"), operator: "Exists", effect: "NoSchedule" };

/** By template: each node's pod has the same, and cached templates never change. */
const known = new WeakMap<PodSpec, Toleration[]>();

/**
 * A template's tolerations plus those of all daemon pods.
 * Upstream: `pkg/controller/daemon/util` (AddOrUpdateDaemonPodTolerations).
 */
export function daemonTolerations(spec: PodSpec): Toleration[] {
  let tolerations = known.get(spec);
  if (!tolerations) {
    const added = spec.hostNetwork ? [...ALWAYS, ON_HOST_NETWORK] : ALWAYS;
    known.set(spec, tolerations = added.reduce(withToleration, [...spec.tolerations ?? []]));
  }
  return tolerations;
}

/** An equivalent toleration is replaced by the new one, and so loses its time limit. */
function withToleration(tolerations: Toleration[], added: Toleration): Toleration[] {
  const isSame = ({ key, operator, value, effect }: Toleration) =>
    key === added.key && operator === added.operator && (value ?? "") === "" && effect === added.effect;
  if (tolerations.some((toleration) => isSame(toleration) && deepEqual(toleration, added))) return tolerations;
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((toleration) => isSame(toleration) ? added : toleration);
}

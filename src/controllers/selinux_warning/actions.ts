import { type Pod, splitKey } from "../../api/mod.ts";
import { byKey } from "../running/mod.ts";
import type { WarningContext } from "./context.ts";
import type { Conflict } from "./volume_labels.ts";

type Telling = Pick<WarningContext, "recorder" | "pods">;

/** Records an event that a pod's containers label a volume differently. */
export function tellOfMany(pod: Pod, volume: string, { recorder }: Telling): void {
  const what = `Volume "${volume}" is mounted twice with different SELinux labels inside this pod`;
  recorder.event(pod, "Warning", "MultipleSELinuxLabels", what);
}

/** Records events about conflicts on pods that still exist. */
export function tellOfConflicts(conflicts: readonly Conflict[], { recorder, pods }: Telling): void {
  for (const conflict of conflicts) {
    const pod = byKey(pods, conflict.pod);
    if (pod) recorder.event(pod, "Normal", `${conflict.property}Conflict`, messageOf(conflict));
  }
}

/** Reveals nothing about pods in other namespaces. */
function messageOf({ property, pod, value, otherPod, otherValue }: Conflict): string {
  const other = splitKey(otherPod);
  const outcome = "If both pods land on the same node, only one of them may access the volume.";
  if (splitKey(pod).namespace !== other.namespace) {
    const who = "conflicts with another pod that uses the same volume as this pod with a different";
    return `${property}"${value}" ${who} ${property}. ${outcome}`;
  }
  const who = `conflicts with pod ${other.name} that uses the same volume as this pod with`;
  return `${property} "${value}" ${who} ${property} "${otherValue}". ${outcome}`;
}

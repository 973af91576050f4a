import type { ObjectReference } from "../../api/mod.ts";
import { errorText, goQuote } from "../../base/mod.ts";
import { specName, type VolumeSpec } from "../volumes/mod.ts";

/** The sentence of an event about a volume. Upstream: `pkg/volume/util/operationexecutor` (GenerateMsg). */
export function volumeMessage(what: string, spec: VolumeSpec, rest = ""): string {
  return `${what} for volume ${goQuote(specName(spec))} ${rest}`;
}

/** The same, of what has gone wrong. */
export function volumeFailure(what: string, spec: VolumeSpec, error?: unknown): string {
  return volumeMessage(what, spec, error === undefined ? "" : `: ${errorText(error)}`);
}

/**
 * The message for a pod whose volume is attached to another node. It never names pods of other namespaces.
 *
 * @param pods Those that use the volume on other nodes.
 */
export function conflictMessage(
  spec: VolumeSpec,
  namespace: string | undefined,
  pods: readonly ObjectReference[],
): string {
  if (pods.length === 0) {
    const why = "Volume is already exclusively attached to one node and can't be attached to another";
    return volumeMessage("Multi-Attach error", spec, why);
  }
  const near = pods.filter((pod) => pod.namespace === namespace).map(({ name }) => name);
  const far = pods.length - near.length;
  const others = far > 0 ? [`${far} pod(s) in different namespaces`] : [];
  const named = near.length > 0 ? [`pod(s) ${near.join(", ")}`] : [];
  return volumeMessage("Multi-Attach error", spec, `Volume is already used by ${[...named, ...others].join(" and ")}`);
}

import {
  CONTROLLER_REVISION_HASH_LABEL,
  type DaemonSet,
  DEPRECATED_TEMPLATE_GENERATION_ANNOTATION,
  type Pod,
  POD_TEMPLATE_GENERATION_LABEL,
} from "../../api/mod.ts";
import { parseInt64 } from "../../base/mod.ts";

/** Which change of the template the DaemonSet is at, as its pods' labels say it; `undefined` if it does not say. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata?.annotations?.[DEPRECATED_TEMPLATE_GENERATION_ANNOTATION];
  return text === undefined ? undefined : parseInt64(text)?.toString();
}

/**
 * Whether a pod was made from the present template: by the hash of the revision, or by the number of the change, which holds
 * also where another version wrote the revision with other bytes. Upstream: IsPodUpdated of `pkg/controller/daemon/util`.
 */
export function isPodUpdated({ metadata }: Pod, daemonSet: DaemonSet, hash: string): boolean {
  const labels = metadata?.labels ?? {};
  const generation = templateGeneration(daemonSet);
  return (hash !== "" && labels[CONTROLLER_REVISION_HASH_LABEL] === hash) ||
    (generation !== undefined && labels[POD_TEMPLATE_GENERATION_LABEL] === generation);
}

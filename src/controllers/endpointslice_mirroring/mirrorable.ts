import type { Endpoints } from "../../api/mod.ts";

const SKIP_LABEL = "endpointslice.kubernetes.io/skip-mirror";
const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

/** Whether Endpoints may be mirrored: they do not opt out, and are not a lock. */
export function isMirrorable({ metadata }: Endpoints): boolean {
  return metadata?.labels?.[SKIP_LABEL] !== "true" && metadata?.annotations?.[LEADER_ANNOTATION] === undefined;
}

import type { Endpoints } from "../../api/mod.ts";

const SKIP_LABEL = "endpointslice.kubernetes.io/skip-mirror";
const LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

/** Whether an Endpoints may be mirrored: its writer did not say otherwise, and it is not a lock. */
export function isMirrorable({ metadata }: Endpoints): boolean {
  return metadata?.labels?.[SKIP_LABEL] !== "true" && metadata?.annotations?.[LEADER_ANNOTATION] === undefined;
}

import { CONTROLLER_REVISION_HASH_LABEL, type ControllerRevision, type DaemonSet, type Pod } from "../../api/mod.ts";
import { byRevision } from "../revisions/mod.ts";
import { hashOf } from "./history.ts";

/**
 * The old revisions beyond the DaemonSet's limit, the oldest first. One that a pod is of is kept, and a younger one goes in its
 * place. Upstream: `pkg/controller/daemon/update.go` (cleanupHistory).
 *
 * @param pods In whatever state.
 */
export function planCleanup(
  daemonSet: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): ControllerRevision[] {
  const excess = old.length - (daemonSet.spec?.revisionHistoryLimit ?? 10);
  if (excess <= 0) return [];
  const live = new Set(pods.map(({ metadata }) => metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL]).filter(Boolean));
  return [...old].sort(byRevision).filter((revision) => !live.has(hashOf(revision))).slice(0, excess);
}

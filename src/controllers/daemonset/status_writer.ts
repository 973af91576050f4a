import { type DaemonSet, DAEMONSETS, objectKey } from "../../api/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { type DaemonCounts, isSameStatus } from "./status.ts";

/** What is written. */
export interface StatusWrite {
  readonly counts: DaemonCounts;
  /** Whether the present generation was acted upon. */
  readonly isObserved: boolean;
}

/**
 * Writes the numbers if they differ from those in the cache. A refused write is tried once more on the object as the API server
 * has it now. Upstream: `pkg/controller/daemon/daemon_controller.go` (storeDaemonSetStatus).
 *
 * @throws {StatusError} That of the read in between, or of the second write.
 * @throws {Error} If another object has its name by now, whose status this is not.
 */
export async function writeStatus(
  daemonSet: DaemonSet,
  { counts, isObserved }: StatusWrite,
  { client, guard }: Pick<DaemonSetContext, "client" | "guard">,
): Promise<void> {
  if (isSameStatus(daemonSet, counts)) return;
  const observed = isObserved ? { observedGeneration: daemonSet.metadata?.generation } : {};
  const put = async (target: DaemonSet) =>
    guard.wroteOwner(
      await client.updateStatus(DAEMONSETS, { ...target, status: { ...target.status, ...counts, ...observed } }),
    );
  try {
    await put(daemonSet);
  } catch {
    const { namespace, name = "", uid } = daemonSet.metadata ?? {};
    const fresh = await client.get(DAEMONSETS, { namespace, name });
    if (fresh.metadata?.uid !== uid) {
      throw new Error(`Cannot write the status of DaemonSet ${objectKey(daemonSet)}: it was replaced by another one`);
    }
    await put(fresh);
  }
}

import {
  controllerOf,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type KubeObject,
  newControllerRef,
} from "../../api/mod.ts";
import { adoptionPatch, type ClaimOptions, recheckParent } from "../pods/mod.ts";
import { errorText, refOf } from "../running/mod.ts";

/**
 * Makes the parent the controller of those revisions that have none. Revisions that match no longer stay with it.
 * Upstream: `pkg/controller/statefulset/stateful_set.go` (adoptOrphanRevisions).
 *
 * @throws {Error} `can't adopt ControllerRevisions: ...` if the parent is gone, or what the first failed patch was answered.
 */
export async function adoptRevisions<P extends KubeObject>(
  revisions: readonly ControllerRevision[],
  options: Pick<ClaimOptions<P, ControllerRevision>, "client" | "parent" | "parentResource">,
): Promise<void> {
  const orphans = revisions.filter((revision) => !controllerOf(revision));
  if (orphans.length === 0) return;
  try {
    await recheckParent(options);
  } catch (error) {
    throw new Error(`can't adopt ControllerRevisions: ${errorText(error)}`, { cause: error });
  }
  const controller = newControllerRef(options.parent, options.parentResource);
  for (const orphan of orphans) {
    const body = adoptionPatch(controller, orphan.metadata?.uid ?? "");
    await options.client.patch(CONTROLLERREVISIONS, refOf(orphan), { type: "strategic", body });
  }
}

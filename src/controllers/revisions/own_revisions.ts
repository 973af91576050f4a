import { errorText } from "../../base/mod.ts";
import {
  controllerOf,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type KubeObject,
  newControllerRef,
} from "../../api/mod.ts";
import {
  CONTROLLER_REVISION_CONTROLLER_INDEX,
  controllerIndexOf,
  controllerIndexValue,
  ensureIndexer,
  type Indexable,
  type Indexer,
} from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { adoptionPatch, type ClaimOptions, recheckParent } from "../pods/mod.ts";
import { refOf } from "../running/mod.ts";

/** Adds the index of revisions by controller to their informer, unless it is there. */
export function indexRevisions(informer: Indexable<ControllerRevision>): void {
  ensureIndexer(informer, CONTROLLER_REVISION_CONTROLLER_INDEX, controllerIndexOf);
}

/** The revisions that the object controls, and those of its namespace without a controller. */
export function ownAndOrphanRevisions(
  indexer: Pick<Indexer<ControllerRevision>, "byIndex">,
  owner: KubeObject,
  kind: string,
): ControllerRevision[] {
  const { namespace, name = "", uid = "" } = owner.metadata ?? {};
  return [controllerIndexValue(namespace, { kind, name, uid }), controllerIndexValue(namespace)]
    .flatMap((value) => indexer.byIndex(CONTROLLER_REVISION_CONTROLLER_INDEX, value));
}

/**
 * Makes the parent the controller of revisions that have none. Revisions that no longer match stay with it.
 * Upstream: `pkg/controller/statefulset/stateful_set.go` (adoptOrphanRevisions).
 *
 * @throws {Error} `can't adopt ControllerRevisions: ...` if the parent is gone, or the first patch that failed.
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

/** Deletes revisions one after the other. */
export async function deleteRevisions(
  revisions: readonly ControllerRevision[],
  { client }: { readonly client: Pick<Client, "delete"> },
): Promise<void> {
  for (const revision of revisions) await client.delete(CONTROLLERREVISIONS, refOf(revision));
}

import {
  CONTROLLER_REVISION_HASH_LABEL,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  PODS,
  type Selector,
} from "../../api/mod.ts";
import { podTemplateHash } from "../../rules/mod.ts";
import { nextInLine, TurnBudget } from "../../base/mod.ts";
import { isAlreadyExists } from "../../client/mod.ts";
import { claim } from "../pods/mod.ts";
import {
  holds,
  newRevision,
  ownAndOrphanRevisions,
  readRevisions,
  type RevisionData,
  revisionDataOf,
  revisionNumber,
} from "../revisions/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { claimPods } from "./daemon_pods.ts";

/** The revisions of a DaemonSet. */
export interface DaemonHistory {
  /** Of the present template. */
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
}

/** The value by which pods say that they are of this revision. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] ?? "";
}

/**
 * Finds the revisions of a DaemonSet, makes the present one if there is none, and the only one if there are several.
 * Upstream: `pkg/controller/daemon/update.go` (constructHistory).
 */
export async function syncHistory(
  daemonSet: DaemonSet,
  selector: Selector,
  context: DaemonSetContext,
): Promise<DaemonHistory> {
  const { client, revisions, world } = context;
  const data = revisionDataOf(daemonSet.spec!.template, "exact");
  const budget = new TurnBudget(world.clock);
  const claimed = await claim(ownAndOrphanRevisions(revisions, daemonSet, DAEMONSETS.kind), {
    client,
    parent: daemonSet,
    parentResource: DAEMONSETS,
    resource: CONTROLLERREVISIONS,
    selector,
    budget,
  });
  const labelled: ControllerRevision[] = [];
  for (const revision of claimed) labelled.push(await withHash(revision, context));
  await readRevisions(labelled, budget);
  const old = labelled.filter((revision) => !holds(revision, data));
  const present = labelled.filter((revision) => holds(revision, data));
  const number = old.reduce((most, revision) => Math.max(most, revisionNumber(revision)), 0) + 1;
  if (present.length === 0) return { current: await snapshot(daemonSet, { data, number }, context), old };
  const current = latest(present);
  if (present.length > 1) await keepOnly(current, present, { daemonSet, selector, context });
  if (revisionNumber(current) < number) {
    await client.update(CONTROLLERREVISIONS, { ...current, revision: number }, { isCanonical: true });
  }
  return { current, old };
}

/** The revision with its label; one made by hand gets its name for a hash. */
async function withHash(
  revision: ControllerRevision,
  { client }: Pick<DaemonSetContext, "client">,
): Promise<ControllerRevision> {
  const { labels, name = "" } = revision.metadata ?? {};
  if (labels?.[CONTROLLER_REVISION_HASH_LABEL] !== undefined) return revision;
  const metadata = { ...revision.metadata, labels: { ...labels, [CONTROLLER_REVISION_HASH_LABEL]: name } };
  return await client.update(CONTROLLERREVISIONS, { ...revision, metadata }, { isCanonical: true });
}

/** The one with the highest number, of equals the last. */
function latest(revisions: readonly ControllerRevision[]): ControllerRevision {
  return revisions.reduce((last, revision) => revisionNumber(revision) >= revisionNumber(last) ? revision : last);
}

interface Keeping {
  readonly daemonSet: DaemonSet;
  readonly selector: Selector;
  readonly context: DaemonSetContext;
}

/** Makes the pods say that they are of the kept revision, and deletes its twins. Upstream: dedupCurHistories. */
async function keepOnly(
  kept: ControllerRevision,
  twins: readonly ControllerRevision[],
  { daemonSet, selector, context }: Keeping,
): Promise<void> {
  const { client } = context;
  const hash = hashOf(kept);
  // Those of older revisions too, as upstream does.
  for (const pod of await claimPods(daemonSet, selector, { ...context, budget: new TurnBudget(context.world.clock) })) {
    if (pod.metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] === hash) continue;
    const body = { metadata: { labels: { [CONTROLLER_REVISION_HASH_LABEL]: hash } } };
    await client.patch(PODS, refOf(pod), { type: "merge", body });
  }
  for (const twin of twins) {
    if (twin.metadata?.name !== kept.metadata?.name) await client.delete(CONTROLLERREVISIONS, refOf(twin));
  }
}

interface Snapshot {
  readonly data: RevisionData;
  readonly number: number;
}

/** Creates the revision of the present template, or finds that it has been created already. */
async function snapshot(
  daemonSet: DaemonSet,
  { data, number }: Snapshot,
  { client, world }: Pick<DaemonSetContext, "client" | "world">,
): Promise<ControllerRevision> {
  await nextInLine(world.clock); // a template of a megabyte was compared, and is to be hashed
  const { namespace, name = "" } = daemonSet.metadata ?? {};
  const collisionCount = daemonSet.status?.collisionCount;
  const wanted = newRevision({
    parent: daemonSet,
    parentResource: DAEMONSETS,
    template: daemonSet.spec!.template,
    data,
    revision: number,
    hash: podTemplateHash(daemonSet.spec!.template, collisionCount),
    hashLabel: CONTROLLER_REVISION_HASH_LABEL,
  });
  try {
    return await client.create(CONTROLLERREVISIONS, wanted, { isCanonical: true });
  } catch (error) {
    if (!serverSays(error, isAlreadyExists)) throw error;
    const existing = await client.get(CONTROLLERREVISIONS, { namespace, name: wanted.metadata!.name! });
    if (holds(existing, data)) return existing;
    // Another template has this hash: the next try takes another name, unless somebody has seen to that already.
    const fresh = await client.get(DAEMONSETS, { namespace, name });
    const freshCount = fresh.status?.collisionCount;
    if (freshCount !== collisionCount) {
      const counts = `${collisionCount ?? "nil"}, expected ${freshCount ?? "nil"}`;
      throw new Error(
        `found a stale collision count (${counts}) of DaemonSet "${name}" while processing; will retry until it is updated`,
      );
    }
    await client.updateStatus(DAEMONSETS, {
      ...fresh,
      status: { ...fresh.status!, collisionCount: (freshCount ?? 0) + 1 },
    });
    world.log.verbose(2, "Found a hash collision for DaemonSet - bumping collisionCount to resolve it", {
      namespace,
      name,
    });
    throw error;
  }
}

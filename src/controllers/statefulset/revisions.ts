import {
  CONTROLLER_HASH_LABEL,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type StatefulSet,
  STATEFULSETS,
} from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { DEFAULT_BACKOFF, isAlreadyExists, retryOnConflict } from "../../client/mod.ts";
import {
  beyondLimit,
  holds,
  newRevision,
  readRevisions,
  type RevisionData,
  revisionDataOf,
  revisionHash,
  revisionName,
  revisionNumber,
} from "../revisions/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { StatefulSetContext } from "./context.ts";

/** The revisions that a sync goes by. */
export interface SetRevisions {
  /** What was rolled out last. */
  readonly current: ControllerRevision;
  /** What is being rolled out. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** What is known of a set's template. */
export type Latest =
  /** The last revision is it. */
  | { readonly kind: "same"; readonly revision: ControllerRevision }
  /** An older revision is it: it becomes the last one again. */
  | { readonly kind: "rollback"; readonly revision: ControllerRevision }
  | { readonly kind: "new" };

/**
 * Finds the set's template among its revisions.
 * Upstream: `pkg/controller/statefulset/stateful_set_control.go` (getStatefulSetRevisions).
 *
 * @param revisions In order.
 * @param isSame Whether a revision with other bytes means the same.
 */
export function findLatest(
  revisions: readonly ControllerRevision[],
  data: RevisionData,
  isSame: (revision: ControllerRevision) => boolean,
): Latest {
  const last = revisions.at(-1);
  const equal = revisions.findLast((revision) => holds(revision, data));
  if (last && equal && holds(last, data)) return { kind: "same", revision: last };
  if (equal) return { kind: "rollback", revision: equal };
  return last && isSame(last) ? { kind: "same", revision: last } : { kind: "new" };
}

/**
 * Finds or makes the revisions of a set.
 *
 * @param revisions In order.
 */
export async function syncRevisions(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  context: StatefulSetContext,
): Promise<SetRevisions> {
  const budget = new TurnBudget(context.world.clock);
  const data = revisionDataOf(set.spec!.template, "double");
  await readRevisions(revisions, budget);
  const last = revisions.at(-1);
  const revision = (last ? revisionNumber(last) : 0) + 1;
  const latest = findLatest(revisions, data, (last) => context.equivalence?.isSame(set, data, last) ?? false);
  let update: ControllerRevision;
  let collisionCount = set.status?.collisionCount ?? 0;
  switch (latest.kind) {
    case "same":
      update = latest.revision;
      break;
    case "rollback":
      update = await renumber(latest.revision, revision, context);
      break;
    case "new":
      ({ update, collisionCount } = await createRevision(set, { data, revision, collisionCount }, context));
  }
  const current = revisions.find(({ metadata }) => metadata?.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

interface Proposal {
  readonly data: RevisionData;
  readonly revision: number;
  readonly collisionCount: number;
}

/** Creates the revision, under another name as long as names are taken by other data; its label keeps the first hash. */
async function createRevision(
  set: StatefulSet,
  { data, revision, collisionCount }: Proposal,
  { client }: StatefulSetContext,
): Promise<{ update: ControllerRevision; collisionCount: number }> {
  const hash = revisionHash(data, collisionCount);
  const proposed = newRevision({
    parent: set,
    parentResource: STATEFULSETS,
    template: set.spec!.template,
    data,
    revision,
    hash,
    hashLabel: CONTROLLER_HASH_LABEL,
  });
  const { namespace, name: setName = "" } = set.metadata ?? {};
  for (let suffix = hash;; suffix = revisionHash(data, ++collisionCount)) {
    const name = revisionName(setName, suffix);
    const wanted = { ...proposed, metadata: { ...proposed.metadata, name } };
    try {
      return { update: await client.create(CONTROLLERREVISIONS, wanted, { isCanonical: true }), collisionCount };
    } catch (error) {
      if (!serverSays(error, isAlreadyExists)) throw error;
    }
    const existing = await client.get(CONTROLLERREVISIONS, { namespace, name });
    if (holds(existing, data)) return { update: existing, collisionCount };
  }
}

/** Makes a revision the last one. */
async function renumber(
  found: ControllerRevision,
  revision: number,
  { world, client, revisions }: StatefulSetContext,
): Promise<ControllerRevision> {
  const { namespace, name = "" } = found.metadata ?? {};
  let stored = found;
  return await retryOnConflict(world, async () => {
    if (stored.revision === revision) return stored;
    const wanted = { ...stored, revision };
    try {
      await client.update(CONTROLLERREVISIONS, wanted, { isCanonical: true });
      return wanted;
    } catch (error) {
      stored = revisions.get(namespace, name) ?? stored;
      throw error;
    }
  }, { retry: DEFAULT_BACKOFF });
}

/** Deletes the revisions beyond the set's limit that no pod and no rollout needs, the oldest first. */
export async function truncateHistory(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string | undefined>,
  { client }: Pick<StatefulSetContext, "client">,
): Promise<void> {
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  const isLive = ({ metadata }: ControllerRevision) => live.has(metadata?.name);
  for (const revision of beyondLimit(revisions, { limit, isLive })) {
    await client.delete(CONTROLLERREVISIONS, refOf(revision));
  }
}

import {
  CONTROLLER_REVISION_HASH_LABEL,
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  newControllerRef,
  objectKey,
  type Pod,
  PODS,
} from "../../api/mod.ts";
import { podTemplateHash } from "../../rules/mod.ts";
import { nextInLine, TurnBudget } from "../../base/mod.ts";
import { isAlreadyExists } from "../../client/mod.ts";
import { createAllPods, deleteAllPods } from "../pods/mod.ts";
import { deleteRevisions, holds, newRevision, type RevisionData } from "../revisions/mod.ts";
import { aggregateErrors, refOf, serverSays, updateStatusWithRetry } from "../running/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { hashOf, templateFor } from "./new_pod.ts";
import { type DaemonCounts, isSameStatus } from "./status.ts";

/** How many pods one step creates, and how many it deletes, at most. */
const BURST = 250;

/** Changes to nodes' pods. */
export interface NodeChanges {
  readonly deleted: readonly Pod[];
  /** Nodes that get a pod. */
  readonly needing: readonly string[];
  /** The current revision's. */
  readonly hash: string;
}

/**
 * Creates and deletes pods, and records what the caches must show before the next step.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (syncNodes).
 *
 * @throws {Error} The errors, after everything was tried.
 */
export async function changePods(
  daemonSet: DaemonSet,
  { deleted, needing, hash }: NodeChanges,
  { world, podControl, expectations, guard }: Pick<DaemonSetContext, "world" | "podControl" | "expectations" | "guard">,
): Promise<void> {
  const nodes = needing.slice(0, BURST);
  const pods = deleted.slice(0, BURST);
  const key = objectKey(daemonSet);
  expectations.set(key, { add: nodes.length, del: pods.length });
  const created = await createAllPods(nodes.length, {
    podControl,
    clock: world.clock,
    creationOf: (i) => ({
      namespace: daemonSet.metadata?.namespace,
      template: templateFor(nodes[i], daemonSet, hash),
      parent: daemonSet,
      controllerRef: newControllerRef(daemonSet, DAEMONSETS),
    }),
    onCreated: (pod) => guard.wrotePod(pod),
  });
  const missing = nodes.length - created.successes;
  if (missing > 0) expectations.lower(key, { add: missing });
  const failures = await deleteAllPods(pods, {
    podControl,
    parent: daemonSet,
    budget: new TurnBudget(world.clock),
    onFailed: () => expectations.observeDeletion(key),
  });
  const error = aggregateErrors([...created.errors, ...failures]);
  if (error) throw error;
}

/** The status to write. */
export interface StatusWrite {
  readonly counts: DaemonCounts;
  /** Whether the current generation was acted upon. */
  readonly isObserved: boolean;
}

/**
 * Writes the numbers if they differ from the cached ones; retries once after a refusal.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (storeDaemonSetStatus).
 *
 * @throws {Error} As {@link updateStatusWithRetry} does.
 */
export async function writeStatus(
  daemonSet: DaemonSet,
  { counts, isObserved }: StatusWrite,
  { client, guard }: Pick<DaemonSetContext, "client" | "guard">,
): Promise<void> {
  if (isSameStatus(daemonSet, counts)) return;
  const observed = isObserved ? { observedGeneration: daemonSet.metadata?.generation } : {};
  const statusOf = ({ status }: DaemonSet) => ({ ...status, ...counts, ...observed });
  guard.wroteOwner(await updateStatusWithRetry(client, DAEMONSETS, { cached: daemonSet, statusOf }));
}

/** Adds the hash label to a revision; a handmade one uses its name as the hash. */
export async function ensureHash(
  revision: ControllerRevision,
  { client }: Pick<DaemonSetContext, "client">,
): Promise<ControllerRevision> {
  const { labels, name = "" } = revision.metadata ?? {};
  if (labels?.[CONTROLLER_REVISION_HASH_LABEL] !== undefined) return revision;
  const metadata = { ...revision.metadata, labels: { ...labels, [CONTROLLER_REVISION_HASH_LABEL]: name } };
  return await client.update(CONTROLLERREVISIONS, { ...revision, metadata }, { isCanonical: true });
}

/** Gives a revision the highest number. */
export async function renumber(
  revision: ControllerRevision,
  number: number,
  { client }: Pick<DaemonSetContext, "client">,
): Promise<void> {
  await client.update(CONTROLLERREVISIONS, { ...revision, revision: number }, { isCanonical: true });
}

/** Labels pods with the kept revision and deletes duplicates. Upstream: dedupCurHistories. */
export async function keepOnly(
  kept: ControllerRevision,
  { twins, pods }: { readonly twins: readonly ControllerRevision[]; readonly pods: readonly Pod[] },
  { client }: Pick<DaemonSetContext, "client">,
): Promise<void> {
  const hash = hashOf(kept);
  for (const pod of pods) {
    if (pod.metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] === hash) continue;
    const body = { metadata: { labels: { [CONTROLLER_REVISION_HASH_LABEL]: hash } } };
    await client.patch(PODS, refOf(pod), { type: "merge", body });
  }
  await deleteRevisions(twins.filter(({ metadata }) => metadata?.name !== kept.metadata?.name), { client });
}

interface Snapshot {
  readonly data: RevisionData;
  readonly number: number;
}

/** Creates the revision of the current template, or finds that it has been created already. */
export async function createRevision(
  daemonSet: DaemonSet,
  { data, number }: Snapshot,
  { client, world }: Pick<DaemonSetContext, "client" | "world">,
): Promise<ControllerRevision> {
  await nextInLine(world.clock); // a template of a megabyte was compared and will be hashed
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
    // Another template has this hash: the next try uses another name, unless that was already arranged.
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

import { equalIgnoreHash } from "../../rules/mod.ts";
import { isControlledBy, type ReplicaSet, REPLICASETS } from "../../api/mod.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../client/mod.ts";
import { errorText, serverSays } from "../running/mod.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { PROGRESSING, REASON } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { newReplicaSet } from "./new_replica_set.ts";
import { sizeOf } from "./replica_sets.ts";
import { noteCurrent, putStatus } from "./writes.ts";

interface Creation {
  /** The revision it gets. */
  readonly revision: bigint;
  readonly context: DeploymentContext;
}

/**
 * Creates the ReplicaSet of the Deployment's present template, and notes it in the Deployment's status.
 * Upstream: `pkg/controller/deployment/sync.go` (getNewReplicaSet).
 *
 * @returns The ReplicaSet, also if it existed already and is just what was to be created.
 * @throws {StatusError} What the creation was answered. If another object has the name, the collision count is one
 *   higher by then, so that the next try takes another name.
 */
export async function createReplicaSet(
  draft: Draft,
  old: readonly ReplicaSet[],
  { revision, context }: Creation,
): Promise<ReplicaSet> {
  const wanted = newReplicaSet(draft.deployment, old, revision);
  let created: ReplicaSet;
  let isNew = true;
  try {
    created = await context.client.create(REPLICASETS, wanted);
  } catch (error) {
    if (!serverSays(error, isAlreadyExists)) return await reportFailure(draft, { wanted, error, context });
    created = await existingOrCollision(draft, { wanted, error, context });
    isNew = false;
  }
  const name = created.metadata?.name;
  if (isNew && sizeOf(wanted) > 0) {
    const what = `Scaled up replica set ${name} from 0 to ${sizeOf(wanted)}`;
    context.recorder.event(draft.deployment, "Normal", "ScalingReplicaSet", what);
  }
  const isProgress = isNew && progressDeadlineSeconds(draft.deployment) !== undefined;
  const progress = isProgress
    ? { reason: REASON.newReplicaSetCreated, message: `Created new replica set "${name}"` }
    : undefined;
  await noteCurrent(draft, { revision: String(revision), progress }, context);
  return created;
}

interface Failure {
  readonly wanted: ReplicaSet;
  readonly error: unknown;
  readonly context: DeploymentContext;
}

/** A slow cache, or another leader's creation, is no collision; a ReplicaSet of something else is. */
async function existingOrCollision(draft: Draft, { wanted, error, context }: Failure): Promise<ReplicaSet> {
  const { namespace, name = "" } = wanted.metadata!;
  const existing = context.replicaSets.get(namespace, name);
  if (!existing) {
    // Not in the cache yet: the next try will tell whose it is.
    throw new Error(`replicaset.apps "${name}" not found`, { cause: error });
  }
  const { deployment } = draft;
  if (isControlledBy(existing, deployment) && equalIgnoreHash(deployment.spec?.template, existing.spec?.template)) {
    return existing;
  }
  const collisionCount = deployment.status?.collisionCount ?? 0;
  draft.status = { ...deployment.status, collisionCount: collisionCount + 1 };
  try {
    await putStatus(draft, context);
    context.world.log.verbose(2, "Found a hash collision for deployment - bumping collisionCount to resolve it", {
      namespace,
      deployment: deployment.metadata?.name,
      oldCollisionCount: collisionCount,
      newCollisionCount: collisionCount + 1,
    });
  } catch {
    // The next try finds the same collision.
  }
  throw error;
}

async function reportFailure(draft: Draft, { wanted, error, context }: Failure): Promise<never> {
  if (serverSays(error, isNamespaceTerminating)) throw error;
  const message = `Failed to create new replica set "${wanted.metadata?.name}": ${errorText(error)}`;
  const reason = REASON.replicaSetCreateError;
  if (progressDeadlineSeconds(draft.deployment) !== undefined) {
    draft.state({ type: PROGRESSING, status: "False", reason, message }, context.world.clock.wallMs());
    await putStatus(draft, context).catch(() => {}); // the failure itself is what is to be told
  }
  context.recorder.event(draft.deployment, "Warning", reason, message);
  throw error;
}

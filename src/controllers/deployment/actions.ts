import { errorText, TurnBudget } from "../../base/mod.ts";
import { DEPLOYMENTS, isControlledBy, objectKey, type ReplicaSet, REPLICASETS } from "../../api/mod.ts";
import { equalIgnoreHash } from "../../rules/mod.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import { replicasAnnotations, replicasAnnotationsNeedUpdate } from "./annotations.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { PROGRESSING, REASON, type Statement } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { newReplicaSet } from "./new_replica_set.ts";
import { planProgressCheck, rolloutStatus } from "./progress.ts";
import { type ReplicaSets, sizeOf } from "./replica_sets.ts";
import type { Resize } from "./scaling.ts";
import { calculateStatus, isSameStatus } from "./status.ts";

type WriteContext = Pick<DeploymentContext, "client" | "recorder">;

/**
 * Writes status and annotations (this subresource keeps both), guarded by the version that was read. The answer's
 * version becomes the draft's, so that a sync can write more than once.
 */
export async function putStatus(draft: Draft, { client }: WriteContext): Promise<void> {
  const written = await client.updateStatus(DEPLOYMENTS, draft.deployment);
  takeVersion(draft, written.metadata?.resourceVersion);
}

/** What to record on a Deployment about its current ReplicaSet. */
export interface CurrentNote {
  readonly revision: string;
  /** The new content of the condition `Progressing`, if it changes. */
  readonly progress?: Pick<Statement, "reason" | "message">;
}

/** Writes revision and progress to the Deployment, if they differ. */
export async function noteCurrent(
  draft: Draft,
  { revision, progress }: CurrentNote,
  { client, recorder, world }: WriteContext & Pick<DeploymentContext, "world">,
): Promise<void> {
  const isNewRevision = draft.setRevision(revision);
  if (progress) draft.state({ type: PROGRESSING, status: "True", ...progress }, world.clock.wallMs());
  if (isNewRevision || progress) await putStatus(draft, { client, recorder });
}

/** Writes the Deployment itself: spec, labels and annotations. */
export async function putDeployment(draft: Draft, { client }: WriteContext): Promise<void> {
  const written = await client.update(DEPLOYMENTS, draft.deployment);
  takeVersion(draft, written.metadata?.resourceVersion);
}

/** What {@link resize} did. */
export interface Resized {
  /** The ReplicaSet after the write. */
  readonly replicaSet: ReplicaSet;
  /** Whether its size changed. */
  readonly isScaled: boolean;
}

/**
 * Gives a ReplicaSet its size and the annotations for proportional scaling, with an event on the Deployment if the size
 * changed. Nothing is written if there is no difference.
 */
export async function resize(
  draft: Draft,
  { replicaSet, replicas, isForced }: Resize,
  { client, recorder }: WriteContext,
): Promise<Resized> {
  const { deployment } = draft;
  const before = sizeOf(replicaSet);
  const isUnchanged = before === replicas;
  if (isUnchanged && !(isForced && replicasAnnotationsNeedUpdate(deployment, replicaSet))) {
    return { replicaSet, isScaled: false };
  }
  const annotations = { ...replicaSet.metadata?.annotations, ...replicasAnnotations(deployment) };
  const written = await client.update(REPLICASETS, {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec!, replicas },
  });
  if (!isUnchanged) {
    const direction = before < replicas ? "up" : "down";
    const what = `Scaled ${direction} replica set ${written.metadata?.name} from ${before} to ${replicas}`;
    recorder.event(deployment, "Normal", "ScalingReplicaSet", what);
  }
  return { replicaSet: written, isScaled: !isUnchanged };
}

/** Deletes ReplicaSets; one that is gone already counts as deleted. */
export async function deleteReplicaSets(replicaSets: readonly ReplicaSet[], { client }: WriteContext): Promise<void> {
  for (const replicaSet of replicaSets) {
    try {
      await client.delete(REPLICASETS, refOf(replicaSet));
    } catch (error) {
      if (!serverSays(error, isNotFound)) throw error;
    }
  }
}

function takeVersion(draft: Draft, resourceVersion: string | undefined): void {
  const { deployment } = draft;
  draft.deployment = { ...deployment, metadata: { ...deployment.metadata, resourceVersion } };
}

/** Writes the status of a Deployment that is not rolling out, if it changed. */
export async function writeStatus(draft: Draft, replicaSets: ReplicaSets, context: DeploymentContext): Promise<void> {
  const status = calculateStatus(draft.deployment, replicaSets, context.world.clock.wallMs());
  if (isSameStatus(draft.deployment.status, status)) return;
  draft.status = status;
  await putStatus(draft, context);
}

/** Writes the status of a rollout if it changed; otherwise schedules a check whether it is stuck. */
export async function writeRolloutStatus(
  draft: Draft,
  replicaSets: ReplicaSets,
  context: DeploymentContext,
): Promise<void> {
  const { deployment } = draft;
  const status = rolloutStatus(deployment, replicaSets, context.world.clock.wallMs());
  if (!isSameStatus(deployment.status, status)) {
    draft.status = status;
    return await putStatus(draft, context);
  }
  const check = planProgressCheck(deployment, status, context.world.clock.wallMs());
  const key = objectKey(deployment);
  switch (check.when) {
    case "never":
      return;
    case "rateLimited":
      return context.queue.addRateLimited(key, "progress deadline is near");
    case "after":
      return context.queue.addAfter(key, check.delayMs, { due: "progress deadline passed" });
  }
}

/** Writes the current ReplicaSet's annotations and `minReadySeconds`. */
export function updateReplicaSet(
  replicaSet: ReplicaSet,
  { annotations, minReadySeconds }: {
    readonly annotations: Record<string, string>;
    readonly minReadySeconds: number | undefined;
  },
  { client }: WriteContext,
): Promise<ReplicaSet> {
  return client.update(REPLICASETS, {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec!, minReadySeconds },
  });
}

interface Creation {
  /** The revision it gets. */
  readonly revision: bigint;
  readonly context: DeploymentContext;
}

/**
 * Creates the ReplicaSet of the Deployment's present template, and records it in the Deployment's status.
 * Upstream: `pkg/controller/deployment/sync.go` (getNewReplicaSet).
 *
 * @returns The ReplicaSet, even if it already existed exactly as wanted.
 * @throws {StatusError} The creation's error. If another object has the name, the collision count has been increased,
 *   so that the next try uses another name.
 */
export async function createReplicaSet(
  draft: Draft,
  old: readonly ReplicaSet[],
  { revision, context }: Creation,
): Promise<ReplicaSet> {
  const budget = new TurnBudget(context.world.clock);
  const wanted = await budget.run(newReplicaSet(draft.deployment, old, revision));
  if (budget.spent) await budget.nextTurn();
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

/** A slow cache, or another leader's creation, is not a collision; somebody else's ReplicaSet is. */
async function existingOrCollision(draft: Draft, { wanted, error, context }: Failure): Promise<ReplicaSet> {
  const { namespace, name = "" } = wanted.metadata!;
  const existing = context.replicaSets.get(namespace, name);
  if (!existing) {
    // Not in the cache yet: the next try will show whose it is.
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
    await putStatus(draft, context).catch(() => {}); // the original failure must be reported
  }
  context.recorder.event(draft.deployment, "Warning", reason, message);
  throw error;
}

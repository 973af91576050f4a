import { DEPLOYMENTS, type ReplicaSet, REPLICASETS } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import { replicasAnnotations, replicasAnnotationsNeedUpdate } from "./annotations.ts";
import { PROGRESSING, type Statement } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { sizeOf } from "./replica_sets.ts";
import type { Resize } from "./scaling.ts";

type WriteContext = Pick<DeploymentContext, "client" | "recorder">;

/**
 * Writes status and annotations (this subresource keeps both), guarded by the version that was read. The answer's
 * version becomes the draft's, so that a sync can write more than once.
 */
export async function putStatus(draft: Draft, { client }: WriteContext): Promise<void> {
  const written = await client.updateStatus(DEPLOYMENTS, draft.deployment);
  takeVersion(draft, written.metadata?.resourceVersion);
}

/** What a Deployment is to say of its current ReplicaSet. */
export interface CurrentNote {
  readonly revision: string;
  /** What the condition `Progressing` says from now on, if it is to say something new. */
  readonly progress?: Pick<Statement, "reason" | "message">;
}

/** Writes revision and progress into the Deployment, unless they are there. */
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
  /** The ReplicaSet as it is now. */
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

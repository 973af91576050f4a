import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
} from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import { boundClaim, boundVolume, unboundVolume } from "./binding.ts";
import type { BinderContext } from "./context.ts";
import { claimAsMigrated } from "./migration.ts";
import { annotated, annotationOf, BETA_PROVISIONER, PROVISIONER } from "./names.ts";
import { claimWithoutVolume, claimWithVolume } from "./status.ts";

type ClaimPhase = "Pending" | "Lost";
type VolumePhase = "Available" | "Bound" | "Released" | "Failed";

/** An event about a phase. */
interface Told {
  readonly reason: string;
  readonly message: string;
}

/** Writes a claim. @returns It as the API server has it now. */
export async function writeClaim(
  claim: PersistentVolumeClaim,
  { client, claims }: Pick<BinderContext, "client" | "claims">,
): Promise<PersistentVolumeClaim> {
  const answer = await client.update(PERSISTENTVOLUMECLAIMS, claim);
  claims.store(answer);
  return answer;
}

/**
 * Annotates a claim with its provisioner.
 * @returns It as the API server has it now.
 */
export async function withProvisioner(
  claim: PersistentVolumeClaim,
  name: string,
  context: Pick<BinderContext, "client" | "claims">,
): Promise<PersistentVolumeClaim> {
  if (annotationOf(claim, PROVISIONER) === name) return claim;
  return await writeClaim(
    claimAsMigrated(annotated(claim, { [PROVISIONER]: name, [BETA_PROVISIONER]: name })),
    context,
  );
}

/** Writes a volume. @returns It as the API server has it now. */
export async function writeVolume(
  volume: PersistentVolume,
  { client, volumes }: Pick<BinderContext, "client" | "volumes">,
): Promise<PersistentVolume> {
  const answer = await client.update(PERSISTENTVOLUMES, volume);
  volumes.store(answer);
  return answer;
}

async function writeClaimStatus(
  before: PersistentVolumeClaim,
  after: PersistentVolumeClaim,
  { client, claims }: Pick<BinderContext, "client" | "claims">,
): Promise<PersistentVolumeClaim> {
  if (after === before) return before;
  const answer = await client.updateStatus(PERSISTENTVOLUMECLAIMS, after);
  claims.store(answer);
  return answer;
}

/** Sets a claim's phase to Pending, unless it is. */
export async function setPending(claim: PersistentVolumeClaim, context: BinderContext): Promise<void> {
  await writeClaimStatus(claim, claimWithoutVolume(claim, "Pending"), context);
}

/** Sets a claim's phase to Lost, with one event. */
export async function setLost(claim: PersistentVolumeClaim, told: Told, context: BinderContext): Promise<void> {
  const phase: ClaimPhase = "Lost";
  if (claim.status?.phase === phase) return;
  const lost = await writeClaimStatus(claim, claimWithoutVolume(claim, phase), context);
  context.recorder.event(lost, "Warning", told.reason, told.message);
}

/**
 * Sets a volume's phase; writes nothing, not even another message, if it has that phase.
 *
 * @param told What led to the phase: its message becomes the volume's, and an event.
 * @returns The volume as the API server has it now.
 */
export async function setPhase(
  volume: PersistentVolume,
  phase: VolumePhase,
  { client, volumes, recorder }: Pick<BinderContext, "client" | "volumes" | "recorder">,
  told?: Told,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const message = told?.message || undefined;
  const answer = await client.updateStatus(PERSISTENTVOLUMES, {
    ...volume,
    status: { ...volume.status, phase, message },
  });
  volumes.store(answer);
  if (told) recorder.event(answer, "Warning", told.reason, told.message);
  return answer;
}

/**
 * Binds a volume and a claim to each other. Each of the four writes is skipped if already made, so that an interrupted
 * bind of any manager is completed; their order must not change.
 */
export async function bind(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  context: BinderContext,
): Promise<void> {
  const referring = boundVolume(volume, claim);
  const written = referring === volume ? volume : await writeVolume(referring, context);
  const bound = await setPhase(written, "Bound", context);
  const pointing = boundClaim(claim, bound);
  const own = pointing === claim ? claim : await writeClaim(pointing, context);
  await writeClaimStatus(own, claimWithVolume(own, bound), context);
}

/** Frees a volume of its claim. */
export async function unbind(volume: PersistentVolume, context: BinderContext): Promise<void> {
  await setPhase(await writeVolume(unboundVolume(volume), context), "Available", context);
}

/** Creates a volume. @returns `false` if there is one of that name. */
export async function createVolume(
  volume: PersistentVolume,
  { client, volumes }: Pick<BinderContext, "client" | "volumes">,
): Promise<PersistentVolume> {
  const answer = await client.create(PERSISTENTVOLUMES, volume);
  volumes.store(answer);
  return answer;
}

/** Deletes exactly this volume; finalizers of others may keep it for a while. */
export async function deleteVolume(
  { metadata }: PersistentVolume,
  { client }: Pick<BinderContext, "client">,
): Promise<void> {
  const { name = "", uid } = metadata ?? {};
  await client.delete(PERSISTENTVOLUMES, { name }, { preconditions: { uid } });
}

export async function createRecycler(pod: Pod, { client }: Pick<BinderContext, "client">): Promise<Pod> {
  return await client.create(PODS, pod);
}

/** Deletes the pod of that name, whoever made it. */
export async function deleteRecycler(pod: Pod, { client }: Pick<BinderContext, "client">): Promise<void> {
  await client.delete(PODS, refOf(pod));
}

/** Reads a volume from the API server; `undefined` if there is none of that name. */
export async function liveVolume(
  name: string,
  { client }: Pick<BinderContext, "client">,
): Promise<PersistentVolume | undefined> {
  return await found(client.get(PERSISTENTVOLUMES, { name }));
}

/** Reads a claim from the API server; `undefined` if there is none of that name. */
export async function liveClaim(
  ref: { readonly namespace?: string; readonly name?: string },
  { client }: Pick<BinderContext, "client">,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace, name = "" } = ref;
  return await found(client.get(PERSISTENTVOLUMECLAIMS, { namespace, name }));
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}

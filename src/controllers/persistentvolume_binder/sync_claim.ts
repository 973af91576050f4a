import { objectKey, type PersistentVolume, type PersistentVolumeClaim } from "../../api/mod.ts";
import { errorText, TurnBudget } from "../../base/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { isVolumeTerminated, podsNaming } from "../pod_volumes/mod.ts";
import { statesStorageClass } from "../volumes/mod.ts";
import { bind, liveVolume, setLost, setPending, writeClaim } from "./actions.ts";
import { defaultClass, isBindingDelayed } from "./classes.ts";
import type { BinderContext } from "./context.ts";
import { findVolume, isReservedFor, mismatchOf } from "./matching.ts";
import { claimAsMigrated } from "./migration.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, isAnnotated, SELECTED_NODE } from "./names.ts";
import { provision } from "./provisioning.ts";

/**
 * Binds a claim to a volume, or reports why it has none.
 * Upstream: `pkg/controller/volume/persistentvolume/pv_controller.go` (syncClaim).
 *
 * @param shown From a cache; not modified.
 * @throws {Error} If the claim must be retried.
 */
export async function syncClaim(shown: PersistentVolumeClaim, context: BinderContext): Promise<void> {
  const migrated = claimAsMigrated(shown);
  const claim = migrated === shown ? shown : await writeClaim(migrated, context);
  if (isAnnotated(claim, BIND_COMPLETED)) return await syncBound(claim, context);
  const { volumeName } = claim.spec ?? {};
  return volumeName ? await syncNaming(claim, volumeName, context) : await syncUnbound(claim, context);
}

/** A claim that takes any volume. */
async function syncUnbound(claim: PersistentVolumeClaim, context: BinderContext): Promise<void> {
  const { classes, recorder } = context;
  const isDelayed = isBindingDelayed(claim, classes);
  const volume = await matchFor(claim, context, isDelayed);
  if (volume) return await bindMatch(volume, claim, context);
  if (await takesDefaultClass(claim, context)) return; // what comes of it is shown as a change
  if (isDelayed && !isAnnotated(claim, SELECTED_NODE)) {
    const { reason, message } = delay(claim, context);
    recorder.event(claim, "Normal", reason, message);
  } else if (storageClassOf(claim)) {
    return provision(claim, context);
  } else {
    const message = "no persistent volumes available for this claim and no storage class is set";
    recorder.event(claim, "Normal", "FailedBinding", message);
  }
  await setPending(claim, context);
}

async function matchFor(
  claim: PersistentVolumeClaim,
  { world: { clock }, volumes, free }: BinderContext,
  isDelayed: boolean,
): Promise<PersistentVolume | undefined> {
  try {
    return await new TurnBudget(clock).run(findVolume(claim, { volumes, free }, { isDelayed }));
  } catch (error) {
    const why = `error finding PV for claim ${JSON.stringify(objectKey(claim))}: ${errorText(error)}`;
    throw new Error(why, { cause: error });
  }
}

async function bindMatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  context: BinderContext,
): Promise<void> {
  const key = objectKey(claim);
  try {
    await bind(volume, claim, context);
  } catch (error) {
    context.times.failed(key);
    throw error;
  }
  context.times.succeeded(key);
}

/** A class that became the default one after the claim was made. */
async function takesDefaultClass(claim: PersistentVolumeClaim, context: BinderContext): Promise<boolean> {
  const { metrics } = context;
  const name = statesStorageClass(claim) ? undefined : defaultClass(context.classes.list())?.metadata?.name;
  if (name === undefined) return false;
  metrics.retroactive.inc();
  try {
    await writeClaim({ ...claim, spec: { ...claim.spec, storageClassName: name } }, context);
    return true;
  } catch (error) {
    metrics.retroactiveErrors.inc();
    const why = `can't update PersistentVolumeClaim[${JSON.stringify(objectKey(claim))}]: ${errorText(error)}`;
    throw new Error(why, { cause: error });
  }
}

/** What a claim waits for if its volume depends on its pod's node. */
function delay(claim: PersistentVolumeClaim, { pods }: BinderContext): { reason: string; message: string } {
  const names = podsNaming(pods, objectKey(claim))
    .filter((pod) => !isVolumeTerminated(pod) && !pod.spec?.nodeName)
    .map(({ metadata }) => metadata?.name).sort();
  if (names.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return { reason: "WaitForFirstConsumer", message };
  }
  const whom = `${names.length > 1 ? "pods" : "pod"} ${names.join(",")}`;
  return { reason: "WaitForPodScheduled", message: `waiting for ${whom} to be scheduled` };
}

/** A claim that asks for a volume by name. */
async function syncNaming(claim: PersistentVolumeClaim, volumeName: string, context: BinderContext): Promise<void> {
  const { volumes, recorder } = context;
  const volume = volumes.get(volumeName);
  if (!volume) return await setPending(claim, context);
  if (!volume.spec?.claimRef) {
    const mismatch = mismatchOf(volume, claim);
    if (mismatch === undefined) return await bind(volume, claim, context);
    const message = `Cannot bind to requested volume ${JSON.stringify(volumeName)}: ${mismatch}`;
    recorder.event(claim, "Warning", "VolumeMismatch", message);
    return await setPending(claim, context);
  }
  if (isReservedFor(volume, claim)) return await bind(volume, claim, context);
  const name = JSON.stringify(volumeName);
  recorder.event(claim, "Warning", "FailedBinding", `volume ${name} already bound to a different claim.`);
  if (!isAnnotated(claim, BOUND_BY_CONTROLLER)) return await setPending(claim, context);
  const { namespace, name: other } = volume.spec.claimRef;
  throw new Error(
    `invalid binding of claim ${JSON.stringify(objectKey(claim))} to volume ${name}: volume already claimed by ` +
      JSON.stringify(`${namespace ?? ""}/${other ?? ""}`),
  );
}

const LOST = "Data on the volume is lost!";

/** A claim that was bound once. */
async function syncBound(claim: PersistentVolumeClaim, context: BinderContext): Promise<void> {
  const { volumeName } = claim.spec ?? {};
  const lost = (what: string) => ({ reason: "ClaimLost", message: `Bound claim has lost ${what}. ${LOST}` });
  if (!volumeName) return await setLost(claim, lost("reference to PersistentVolume"), context);
  const volume = await volumeOf(claim, volumeName, context);
  if (!volume) return await setLost(claim, lost("its PersistentVolume"), context);
  const ref = volume.spec?.claimRef;
  if (!ref || ref.uid === claim.metadata?.uid) return await bind(volume, claim, context);
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  await setLost(claim, { reason: "ClaimMisbound", message }, context);
}

/**
 * Users may discard the rest when they learn that data is lost, so the API server is asked before a claim is marked
 * Lost.
 */
async function volumeOf(
  claim: PersistentVolumeClaim,
  name: string,
  context: BinderContext,
): Promise<PersistentVolume | undefined> {
  const cached = context.volumes.get(name);
  if (cached || claim.status?.phase === "Lost") return cached;
  const live = await liveVolume(name, context);
  if (live) context.volumes.store(live);
  return live;
}

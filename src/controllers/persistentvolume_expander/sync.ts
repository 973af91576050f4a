import { type PersistentVolume, type PersistentVolumeClaim, PERSISTENTVOLUMES, type Quantity } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { migratedPluginOf, volumeModeOf } from "../volumes/mod.ts";
import {
  failure,
  forgetSizeBefore,
  leaveToNode,
  markFinished,
  markInProgress,
  nameOf,
  nameResizer,
  writeVolumeSize,
} from "./actions.ts";
import type { BoundClaim, ExpanderContext } from "./context.ts";
import { resizeStep } from "./resize_step.ts";
import { claimedSize, requestedSize, SIZE_BEFORE } from "./sizes.ts";

/**
 * Expands the volume of a claim that requests more: hands it to the resizer of its CSI driver. FlexVolumes need no
 * action except the status. Upstream: `pkg/controller/volume/expand/expand_controller.go` (syncHandler).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried.
 */
export async function syncClaim(key: string, context: ExpanderContext): Promise<void> {
  const claim = byKey(context.claims, key);
  if (!claim) return;
  const volume = await volumeOf(claim, context);
  const { claimRef, flexVolume } = volume.spec ?? {};
  if (claimRef?.namespace !== claim.metadata?.namespace || claimRef?.uid !== claim.metadata?.uid) {
    throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
  }
  const isNoted = volume.metadata?.annotations?.[SIZE_BEFORE] !== undefined;
  if (requestedSize(claim).compare(claimedSize(claim)) <= 0 && !isNoted) return;
  const migrated = migratedPluginOf({ from: "volume", persistentVolume: volume, readOnly: false });
  if (migrated) return await handOver(claim, migrated, context);
  if (flexVolume) return await expand({ claim, volume }, flexVolume.driver, context);
  tell(
    claim,
    { reason: "ExternalExpanding", message: "waiting for an external controller to expand this PVC" },
    context,
  );
}

async function volumeOf(claim: PersistentVolumeClaim, { client }: ExpanderContext): Promise<PersistentVolume> {
  const name = claim.spec?.volumeName ?? "";
  try {
    return await client.get(PERSISTENTVOLUMES, { name });
  } catch (error) {
    throw new Error(`failed to get PV ${JSON.stringify(name)}: ${errorText(error)}`, { cause: error });
  }
}

async function handOver(
  claim: PersistentVolumeClaim,
  { plugin, driver }: { readonly plugin: string; readonly driver: string },
  context: ExpanderContext,
): Promise<void> {
  const reason = "ExternalExpanding";
  const message = `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`;
  tell(claim, { reason, message }, context);
  try {
    await nameResizer(claim, driver, context);
  } catch (error) {
    const message = `error setting resizer annotation to pvc ${nameOf(claim)}, with error ${errorText(error)}`;
    tell(claim, { type: "Warning", reason, message }, context);
    throw new Error(message, { cause: error });
  }
}

async function expand(found: BoundClaim, resizer: string, context: ExpanderContext): Promise<void> {
  const step = resizeStep(found);
  if (step.kind === "forget size before") return await forgetSizeBefore(found.volume, context);
  const { clock, times } = context;
  const begunMs = clock.monotonicMs();
  let status = "fail-unknown";
  try {
    if (step.kind === "leave to node") await leaveToNode(found, context);
    if (step.kind === "expand") await expandTo(step.size, { ...found, resizer }, context);
    status = "success";
  } catch (error) {
    const message = errorText(error);
    tell(found.claim, { type: "Warning", reason: "VolumeResizeFailed", message }, context);
    throw error;
  } finally {
    times.observe((clock.monotonicMs() - begunMs) / 1000, [resizer, "expand_volume", status, "false"]);
  }
}

async function expandTo(
  size: Quantity,
  { claim: cached, volume: before, resizer }: BoundClaim & { readonly resizer: string },
  context: ExpanderContext,
): Promise<void> {
  const name = nameOf(cached);
  const claim = await markInProgress(cached, { size, resizer }, context).catch((error) => {
    throw failure(`error updating pvc ${name} with resize in progress`, error);
  });
  const volume = await writeVolumeSize(before, size, context).catch((error) => {
    throw failure(`error updating pv for pvc ${name}`, error);
  });
  if (volumeModeOf(before.spec) !== "Block") {
    return await leaveToNode({ claim, volume }, context).catch((error) => {
      throw failure(`error marking pvc ${name} for node expansion`, error);
    });
  }
  const done = await markFinished(claim, size, context).catch((error) => {
    throw failure(`error marking pvc ${name} as resized`, error);
  });
  tell(done, { reason: "VolumeResizeSuccessful", message: `ExpandVolume succeeded for volume ${name}` }, context);
}

function tell(
  claim: PersistentVolumeClaim,
  { type = "Normal", reason, message }: {
    readonly type?: "Normal" | "Warning";
    readonly reason: string;
    readonly message: string;
  },
  { recorder }: ExpanderContext,
): void {
  recorder.event(claim, type, reason, message);
}

import { joinKey, objectKey, type PersistentVolume } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { isVolumeTerminated, podsNaming } from "../pod_volumes/mod.ts";
import { PluginLookupError } from "../volumes/mod.ts";
import { liveVolume, setPhase, unbind } from "./actions.ts";
import { inBackground } from "./background.ts";
import type { BinderContext } from "./context.ts";
import { recyclerPod } from "./recycler_pod.ts";
import { runRecycler } from "./recycler_run.ts";
import { isFree } from "./release_check.ts";

/** Deletes a volume's content and makes it available again, in the background. */
export function recycleInBackground(volume: PersistentVolume, context: BinderContext): void {
  const { name = "", uid } = volume.metadata ?? {};
  inBackground({ name: `recycle-${name}[${uid}]`, kind: "PersistentVolume", key: name }, context, async () => {
    try {
      await recycle(volume, context);
    } catch (err) {
      // Each sync tries again; none has to wait for another.
      context.world.log.verbose(3, "A volume is not recycled", { volume: name, err });
    }
  });
}

async function recycle({ metadata }: PersistentVolume, context: BinderContext): Promise<void> {
  const volume = await liveVolume(metadata?.name ?? "", context);
  if (!volume || volume.metadata?.uid !== metadata?.uid || !await isFree(volume, context)) return;
  if (isInUse(volume, context)) return;
  const fail = (message: string) => setPhase(volume, "Failed", context, { reason: "VolumeFailedRecycle", message });
  const pod = isRecyclable(volume, context) && recyclerPod(volume, context.recyclers);
  if (!pod) return void await fail("No recycler plugin found for the volume!");
  try {
    await runRecycler(pod, context, (type, message) => {
      const isBad = type === "Warning";
      context.recorder.event(volume, isBad ? "Warning" : "Normal", "RecyclerPod", `Recycler pod: ${message}`);
    });
  } catch (error) {
    if (!context.signal.aborted) await fail(`Recycle failed: ${errorText(error)}`);
    return;
  }
  context.recorder.event(volume, "Normal", "VolumeRecycled", "Volume recycled");
  await unbind(volume, context);
}

/** Whether pods still use what the claim has left behind. */
function isInUse(volume: PersistentVolume, { claims, pods, recorder }: BinderContext): boolean {
  const { namespace, name = "" } = volume.spec?.claimRef ?? {};
  const claim = joinKey(namespace, name);
  const users = podsNaming(pods, claim).filter((pod) => !isVolumeTerminated(pod)).map(objectKey).sort();
  if (users.length === 0 || claims.get(claim)) return false;
  recorder.event(volume, "Normal", "VolumeFailedRecycle", `Volume is used by pods: ${users.join(",")}`);
  return true;
}

function isRecyclable(persistentVolume: PersistentVolume, { plugins }: Pick<BinderContext, "plugins">): boolean {
  try {
    plugins.bySpec({ from: "volume", persistentVolume, readOnly: false }, "recycles");
    return true;
  } catch (error) {
    if (error instanceof PluginLookupError) return false;
    throw error;
  }
}

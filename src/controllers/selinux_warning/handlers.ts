import {
  type CSIDriver,
  joinKey,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import type { Reason } from "../../workqueue/mod.ts";
import { podsNaming } from "../pod_volumes/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { HandlerContext } from "./context.ts";

/** Prefixes of keys in the queue. */
export const POD_ITEM = "pod:";
export const DRIVER_ITEM = "driver:";

/** Queues a pod when it is created, deleted or ended; nothing else changes how it uses volumes. */
export function podHandler({ queue }: Pick<HandlerContext, "queue">): EventHandler<Pod> {
  const enqueue = (pod: Pod, what: Change) => queue.add(POD_ITEM + objectKey(pod), cause("pod", pod, what));
  return {
    onAdd: (pod) => enqueue(pod, "added"),
    onUpdate: (before, pod) => {
      const hasEnded = before.status?.phase !== pod.status?.phase && isPodTerminal(pod);
      if (hasEnded || before.metadata?.uid !== pod.metadata?.uid) enqueue(pod, changeOf(before, pod));
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) enqueue(pod, "deleted");
    },
  };
}

/** The pods of a claim are queued when it is bound. */
export function claimHandler(context: HandlerContext): EventHandler<PersistentVolumeClaim> {
  return {
    onAdd: (claim) => claim.spec?.volumeName && enqueuePods(objectKey(claim), cause("claim", claim, "added"), context),
    onUpdate: (before, claim) => {
      if (before.spec?.volumeName === claim.spec?.volumeName && before.status?.phase === claim.status?.phase) return;
      enqueuePods(objectKey(claim), cause("claim", claim, changeOf(before, claim)), context);
    },
  };
}

/** The pods of a volume's claim are queued when it is bound. */
export function volumeHandler(context: HandlerContext): EventHandler<PersistentVolume> {
  const onChange = (volume: PersistentVolume, what: Change) => {
    const { namespace, name = "", uid } = volume.spec?.claimRef ?? {};
    if (uid) enqueuePods(joinKey(namespace, name), cause("volume", volume, what), context);
  };
  return {
    onAdd: (volume) => onChange(volume, "added"),
    onUpdate: (before, volume) => {
      if (before.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid) onChange(volume, changeOf(before, volume));
    },
  };
}

/** Queues a driver when it starts or stops mounting volumes with labels. */
export function driverHandler({ queue }: Pick<HandlerContext, "queue">): EventHandler<CSIDriver> {
  const enqueue = (driver: CSIDriver, what: Change) =>
    queue.add(DRIVER_ITEM + objectKey(driver), cause("csidriver", driver, what));
  return {
    onAdd: (driver) => enqueue(driver, "added"),
    onUpdate: (before, driver) => {
      if (mountsWithLabels(before) !== mountsWithLabels(driver)) enqueue(driver, changeOf(before, driver));
    },
    onDelete: (deleted) => {
      const driver = finalStateOf(deleted);
      if (driver && mountsWithLabels(driver)) enqueue(driver, "deleted");
    },
  };
}

/** Whether a driver can mount volumes with an SELinux label. */
export function mountsWithLabels(driver: CSIDriver | undefined): boolean {
  return driver?.spec.seLinuxMount === true;
}

function enqueuePods(claimKey: string, why: Reason, { queue, pods }: HandlerContext): void {
  for (const pod of podsNaming(pods, claimKey)) queue.add(POD_ITEM + objectKey(pod), why);
}

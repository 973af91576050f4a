import {
  joinKey,
  type Node,
  objectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from "../../api/mod.ts";
import type { TurnBudget } from "../../base/mod.ts";
import { deletedKey, type EventHandler, finalStateOf, type Indexer, NODE_NAME_INDEX } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { AttachmentWatch } from "./attachment_watch.ts";
import { attachmentKey, type AttachState } from "./context.ts";
import { isOutOfService, isReady } from "./detachment.ts";
import { notePod, notingPod, type WantingContext } from "./pod_volumes.ts";

/** The annotation of a node whose volumes controllers attach, whatever its value. */
const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";

/** What handlers of pods change. */
export interface NotingContext extends AttachState, WantingContext {
  readonly budget: TurnBudget;
}

/** What handlers of nodes change. */
export interface NodeHandlerContext extends NotingContext {
  readonly queue: Pick<WorkQueue, "add">;
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
}

/** Records what pods want as they are created, end and are deleted. */
export function podHandler(context: NotingContext): EventHandler<Pod> {
  const onGone = (pod: Pod | undefined) => context.desired.removePod(pod?.metadata?.uid ?? "");
  return {
    onAdd: (pod) => notePod(pod, context),
    onUpdate: (before, pod) => {
      if (before.metadata?.uid !== pod.metadata?.uid) onGone(before);
      return notePod(pod, context);
    },
    onDelete: (deleted) => onGone(finalStateOf(deleted)),
  };
}

/** Records which nodes are managed, and what their kubelets use. */
export function nodeHandler(context: NodeHandlerContext): EventHandler<Node> {
  const { desired, actual, reports } = context;
  return {
    onAdd: (node) => {
      const waiting = noteNode(node, context);
      reports.renew(node.metadata?.name ?? "");
      return notePods(waiting, context);
    },
    onUpdate: (before, node) => {
      const waiting = noteNode(node, context);
      if (before.metadata?.uid !== node.metadata?.uid) reports.renew(node.metadata?.name ?? "");
      if (isReady(before) !== isReady(node) || isOutOfService(before) !== isOutOfService(node)) {
        lookAt(node, changeOf(before, node), context);
      }
      return notePods(waiting, context);
    },
    onDelete: (deleted) => {
      const node = finalStateOf(deleted) ?? { metadata: { name: deletedKey(deleted) } };
      const name = node.metadata?.name ?? "";
      desired.forgetNode(name);
      if (node.status) actual.setInUse(name, node.status.volumesInUse ?? []);
      lookAt(node, "deleted", context);
      actual.forgetNode(name);
      reports.forgetNode(name);
    },
  };
}

/** Notes a node. @returns The pods that have waited for it to be managed. */
export function noteNode(node: Node, context: Pick<NodeHandlerContext, "actual" | "desired" | "pods">): readonly Pod[] {
  const name = node.metadata?.name ?? "";
  context.actual.setInUse(name, node.status?.volumesInUse ?? []);
  if (node.metadata?.annotations?.[MANAGED] === undefined || !context.desired.manage(name)) return [];
  return context.pods.byIndex(NODE_NAME_INDEX, name);
}

function notePods(pods: readonly Pod[], context: NotingContext): void | Promise<void> {
  if (pods.length > 0) return context.budget.run(notingPods(pods, context));
}

function* notingPods(pods: readonly Pod[], context: WantingContext): Generator<void, void> {
  for (const pod of pods) yield* notingPod(pod, context);
}

/** Queues everything on a node: its state decides what is detached. */
function lookAt(node: Node, what: Change, { actual, queue }: NodeHandlerContext): void {
  const name = node.metadata?.name ?? "";
  for (const volume of actual.volumesOn(name)) queue.add(attachmentKey(volume, name), cause("node", node, what));
}

/** Queues claims: pods may have waited for them. */
export function claimHandler(queue: Pick<WorkQueue, "add">): EventHandler<PersistentVolumeClaim> {
  const enqueue = (claim: PersistentVolumeClaim, what: Change) =>
    queue.add(objectKey(claim), cause("persistentvolumeclaim", claim, what));
  return {
    onAdd: (claim) => enqueue(claim, "added"),
    onUpdate: (before, claim) => enqueue(claim, changeOf(before, claim)),
  };
}

/** Queues the claims of volumes: a claim may be seen bound before its volume is. */
export function volumeHandler(queue: Pick<WorkQueue, "add">): EventHandler<PersistentVolume> {
  const enqueue = (volume: PersistentVolume, what: Change) => {
    const { namespace, name, uid } = volume.spec?.claimRef ?? {};
    if (uid && name) queue.add(joinKey(namespace, name), cause("persistentvolume", volume, what));
  };
  return {
    onAdd: (volume) => enqueue(volume, "added"),
    onUpdate: (before, volume) => {
      if (before.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid) enqueue(volume, changeOf(before, volume));
    },
  };
}

/** Wakes whatever waits for attachers. */
export function attachmentHandler(watch: AttachmentWatch): EventHandler<VolumeAttachment> {
  return {
    onAdd: (attachment) => watch.changed(objectKey(attachment)),
    onUpdate: (_before, attachment) => watch.changed(objectKey(attachment)),
    onDelete: (deleted) => watch.changed(deletedKey(deleted)),
  };
}

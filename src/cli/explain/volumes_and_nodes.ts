import {
  findCondition,
  type KubeObject,
  NODES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type Resource,
  VOLUMEATTACHMENTS,
} from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import type { ClusterReader } from "./cluster_reader.ts";
import type { NodeFact, ObjectFacts } from "./facts.ts";

type Look = (resource: Resource, object: KubeObject) => Promise<ObjectFacts>;

/** How many pods of one claim are read. */
const MOST_USERS = 5;

/** The state of a pod's node. */
export async function nodeOf(pod: Pod, reader: ClusterReader): Promise<NodeFact> {
  const name = pod.spec?.nodeName;
  if (!name) return { type: "none" };
  const answer = await reader.get(NODES, { name });
  if (answer.type === "absent") return { type: "gone", name };
  if (answer.type === "unread") return { type: "unread", name };
  const ready = findCondition(answer.object.status?.conditions, "Ready");
  if (ready?.status === "True") return { type: "ready", name };
  return { type: "notReady", name, since: ready?.lastTransitionTime, reason: ready?.reason };
}

/** Pods that keep `claim` from being deleted. */
export async function podsUsing(claim: PersistentVolumeClaim, reader: ClusterReader, look: Look) {
  const pods = await reader.list(PODS, claim.metadata?.namespace);
  const users = (pods ?? []).filter((pod) => holdsClaim(pod, claim));
  const looked: ObjectFacts[] = [];
  for (const pod of users.slice(0, MOST_USERS)) looked.push(await look(PODS, pod));
  return { users: looked, userCount: users.length, areUsersRead: pods !== undefined };
}

/**
 * Whether `pod` keeps `claim` from being deleted: it is on a node and refers to it, even after it has ended. A claim
 * generated for a pod is free when the pod has ended. Upstream: `pkg/controller/volume/pvcprotection`.
 */
export function holdsClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  const { name, ownerReferences = [] } = claim.metadata ?? {};
  return (pod.spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim?.claimName === name) return true;
    return Boolean(volume.ephemeral) && !isPodTerminal(pod) && `${pod.metadata?.name}-${volume.name}` === name &&
      ownerReferences.some(({ uid }) => uid === pod.metadata?.uid);
  });
}

/** How a volume is used. */
export async function volumeUse(volume: PersistentVolume, reader: ClusterReader, look: Look) {
  const { namespace, name, uid } = volume.spec?.claimRef ?? {};
  const answer = name ? await reader.get(PERSISTENTVOLUMECLAIMS, { namespace, name }) : undefined;
  const isIts = answer?.type === "found" && (!uid || answer.object.metadata?.uid === uid);
  const hasAttacher = volume.metadata?.finalizers?.some((finalizer) => finalizer.startsWith("external-attacher/"));
  const attachments: ObjectFacts[] = [];
  for (const attachment of (hasAttacher && await reader.list(VOLUMEATTACHMENTS)) || []) {
    if (attachment.spec?.source?.persistentVolumeName !== volume.metadata?.name) continue;
    attachments.push(await look(VOLUMEATTACHMENTS, attachment));
  }
  return { claim: isIts ? await look(PERSISTENTVOLUMECLAIMS, answer.object) : undefined, attachments };
}

import type { PersistentVolumeClaim, Pod } from "../../api/mod.ts";
import type { VolumeView } from "./cluster_state.ts";
import { type ClaimName, claimsOf } from "./claim_names.ts";
import type { NodeInfo } from "./node_info.ts";
import { never, type Rejection } from "./rejection.ts";
import { isReachable, StaticMatch, type StaticVolumes } from "./static_volumes.ts";

/** Annotation by which the scheduler tells a provisioner where to create a claim's volume. */
export const SELECTED_NODE_ANNOTATION = "volume.kubernetes.io/selected-node";
const NOT_PROVISIONED = "kubernetes.io/no-provisioner";

const WRONG_NODE = never("node(s) didn't match PersistentVolume's node affinity");
const NO_VOLUME = never("node(s) didn't find available persistent volumes to bind");
const LOST_VOLUME = never("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");

/** What a pod's claims mean for where it can run. */
export type PodClaims =
  /** No node will do before something changes. */
  | { readonly kind: "impossible"; readonly why: string }
  | {
    readonly kind: "possible";
    /** Claims whose volume is made once a node was chosen. */
    readonly waiting: readonly PersistentVolumeClaim[];
    rejects(node: NodeInfo): Generator<void, Rejection | undefined>;
    /** Volumes of waiting claims that were made beforehand, and can be used on a node. */
    staticOn(node: NodeInfo): Generator<void, StaticVolumes | undefined>;
  };

/**
 * Reads a pod's claims; `undefined` if it has none. A claim that waits for a consumer gets a volume that was made
 * beforehand, or is left to its provisioner. Upstream: `pkg/scheduler/framework/plugins/volumebinding`.
 */
export function* podClaims(pod: Pod, volumes: VolumeView): Generator<void, PodClaims | undefined> {
  const namespace = pod.metadata?.namespace ?? "";
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  let hasUnboundImmediate = false;
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = volumes.claim(namespace, name);
    const why = problemOf(pod, claim, { name, isEphemeral });
    if (why || !claim) return { kind: "impossible", why: why ?? "" };
    if (isBound(claim)) bound.push(claim);
    else if (!claim.spec?.volumeName && waitsForConsumer(claim, volumes)) waiting.push(claim);
    else hasUnboundImmediate = true;
    yield;
  }
  if (hasUnboundImmediate) return { kind: "impossible", why: "pod has unbound immediate PersistentVolumeClaims" };
  if (bound.length + waiting.length === 0) return undefined;
  const match = new StaticMatch(waiting, volumes);
  return {
    kind: "possible",
    waiting,
    staticOn: (node) => match.on(node),
    rejects: (node) => rejectionOf(node, { bound, waiting, volumes, match }),
  };
}

function problemOf(
  { metadata }: Pod,
  claim: PersistentVolumeClaim | undefined,
  { name, isEphemeral }: ClaimName,
): string | undefined {
  const quoted = JSON.stringify(name);
  if (!claim) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
      : `persistentvolumeclaim ${quoted} not found`;
  }
  if (claim.status?.phase === "Lost") {
    const volume = JSON.stringify(claim.spec?.volumeName ?? "");
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}`;
  }
  if (claim.metadata?.deletionTimestamp) return `persistentvolumeclaim ${quoted} is being deleted`;
  const isOwned = claim.metadata?.ownerReferences?.some(({ uid, controller }) => controller && uid === metadata?.uid);
  return isEphemeral && !isOwned ? `PVC ${metadata?.namespace}/${name} was not created for pod` : undefined;
}

/** Whether a claim has its volume. Upstream asks for the annotation `bind-completed`, which the phase goes with. */
export function isBound({ spec, status }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && status?.phase === "Bound";
}

function waitsForConsumer({ spec }: PersistentVolumeClaim, volumes: VolumeView): boolean {
  return volumes.storageClass(spec?.storageClassName ?? "")?.volumeBindingMode === "WaitForFirstConsumer";
}

interface Claims {
  readonly bound: readonly PersistentVolumeClaim[];
  readonly waiting: readonly PersistentVolumeClaim[];
  readonly volumes: VolumeView;
  readonly match: StaticMatch;
}

/** Volumes that were made beforehand are looked at only if a provisioner does not serve all claims anyway. */
function* rejectionOf(
  node: NodeInfo,
  { bound, waiting, volumes, match }: Claims,
): Generator<void, Rejection | undefined> {
  for (const { spec } of bound) {
    const volume = volumes.volume(spec?.volumeName ?? "");
    if (!volume) return LOST_VOLUME;
    if (!isReachable(volume, node)) return WRONG_NODE;
    yield;
  }
  const needy = new Set<PersistentVolumeClaim>();
  for (const claim of waiting) {
    if (!isProvisionable(claim, node, volumes)) needy.add(claim);
    yield;
  }
  return needy.size === 0 || (yield* match.on(node, needy)) ? undefined : NO_VOLUME;
}

/** Whether a provisioner may make the claim's volume for this node. Upstream: checkVolumeProvisions. */
function isProvisionable({ metadata, spec }: PersistentVolumeClaim, node: NodeInfo, volumes: VolumeView): boolean {
  const selected = metadata?.annotations?.[SELECTED_NODE_ANNOTATION];
  if (selected !== undefined && selected !== node.name) return false;
  const { provisioner, allowedTopologies = [] } = volumes.storageClass(spec?.storageClassName ?? "") ?? {};
  if (!provisioner || provisioner === NOT_PROVISIONED) return false;
  return allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key]))
    );
}

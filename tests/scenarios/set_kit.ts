/** What scenarios of StatefulSets, DaemonSets and ReplicationControllers begin with, and what they wait for. */
import {
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type PodTemplateSpec,
  type StatefulSet,
  STATEFULSETS,
  type StatefulSetSpec,
} from "../../src/api/mod.ts";
import { isConflict, isNotFound } from "../../src/client/mod.ts";
import { type Kit, podTemplate } from "./kit.ts";

/** A StatefulSet of one nginx container. */
export function statefulSet(
  name: string,
  { replicas = 3, image = "nginx:1", ...spec }: { replicas?: number; image?: string } & Partial<StatefulSetSpec> = {},
): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      serviceName: name,
      template: podTemplate(name, image),
      ...spec,
    },
  };
}

/** A template whose revision is hard to write byte by byte: what Go escapes, and keys that JavaScript would put first. */
export function strangeTemplate(name: string): PodTemplateSpec {
  const { metadata, spec } = podTemplate(name);
  return {
    metadata: {
      labels: { ...metadata.labels, "10": "x", "9": "y" },
      annotations: { note: 'a <b> & "c" \\ é\u2028', "20": "z", "3": "w" },
    },
    spec: {
      ...spec!,
      containers: spec!.containers.map((container) => ({
        ...container,
        env: [{ name: "A", value: "<&>" }],
        resources: { limits: { cpu: "1500m", memory: "1Gi" } },
      })),
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
    },
  };
}

/** A template of claims called `data`. */
export const DATA: PersistentVolumeClaim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
};

/** Another image for the pods of a set. */
export function setImageOf(kit: Kit, name: string, image: string): Promise<StatefulSet> {
  return kit.merge(STATEFULSETS, name, { spec: { template: { spec: { containers: [{ name: "c", image }] } } } });
}

/** Makes the StatefulSet `a`, and waits until it is rolled out. */
export async function rollOutSet(kit: Kit, options: Parameters<typeof statefulSet>[1] = {}): Promise<StatefulSet> {
  await kit.create(STATEFULSETS, statefulSet("a", options));
  return await setRolledOut(kit, "a");
}

/** Gives the StatefulSet `a` one number of replicas after the other. */
export async function resizeSet(kit: Kit, ...sizes: number[]): Promise<void> {
  for (const replicas of sizes) {
    await kit.merge(STATEFULSETS, "a", { spec: { replicas } });
    await setRolledOut(kit, "a");
  }
}

/** Waits until a StatefulSet's pods are all well and of its last revision, and nothing of it is still ending. */
export async function setRolledOut(kit: Kit, name: string): Promise<StatefulSet> {
  await kit.until(STATEFULSETS, name, "is rolled out", ({ metadata, spec, status }) => {
    const wanted = spec?.replicas ?? 1;
    return status?.observedGeneration === metadata?.generation && status?.replicas === wanted &&
      (status.readyReplicas ?? 0) === wanted && (status.availableReplicas ?? 0) === wanted &&
      (status.updatedReplicas ?? 0) === wanted && status.currentRevision === status.updateRevision;
  });
  await settledPods(kit);
  return await kit.get(STATEFULSETS, name);
}

/** Has a pod end, and waits until it is gone. Its kubelet may say otherwise meanwhile, and is contradicted. */
export async function endPod(kit: Kit, name: string, phase: "Failed" | "Succeeded"): Promise<void> {
  const { metadata } = await kit.get(PODS, name);
  await kit.untilAll(PODS, `${name} is gone`, async (pods) => {
    const pod = pods.find((found) => found.metadata?.uid === metadata?.uid);
    if (pod && !pod.metadata?.deletionTimestamp && pod.status?.phase !== phase) {
      await kit.merge(PODS, name, { metadata: { uid: metadata?.uid }, status: { phase } }, "status").catch(ignoreGone);
    }
    return !pod;
  });
}

/** It was another pod by then, or none. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

/** Asks for a pod's eviction, as `kubectl drain` does. */
export async function evict(kit: Kit, name: string): Promise<void> {
  const { namespace } = kit;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  await kit.client.createSubresource(PODS, { namespace, name }, { subresource: "eviction", body });
}

/** Waits until another pod has the name of this one. */
export async function untilReplaced(kit: Kit, { metadata }: Pod): Promise<void> {
  const isAnother = (pod: Pod) => pod.metadata?.name === metadata?.name && pod.metadata?.uid !== metadata?.uid;
  await kit.untilAll(PODS, `${metadata?.name} is a new one`, (pods) => pods.some(isAnother));
}

/** Waits until no pod is being deleted. */
export async function settledPods(kit: Kit): Promise<void> {
  await kit.untilAll(PODS, "none is ending", (pods) => pods.every((pod) => !pod.metadata?.deletionTimestamp));
}

/** Waits until these pods, and no others, are there and ready. */
export async function podsAre(kit: Kit, names: readonly string[]): Promise<void> {
  await kit.untilAll(
    PODS,
    `${names} are ready`,
    (pods) =>
      pods.map(({ metadata }) => metadata?.name).sort().join() === [...names].sort().join() && pods.every(isReady),
  );
}

export function isReady(pod: Pod): boolean {
  return !pod.metadata?.deletionTimestamp &&
    pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

/**
 * Waits until there are this many claims, and gives each of them a volume, as a storage provider would. Takes the finalizer
 * off that the protection controller would: it does not run here.
 */
export async function bindClaims(kit: Kit, count: number): Promise<void> {
  const bound = new Set<string>();
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, `${count} are bound`, async (claims) => {
    for (const claim of claims) {
      const { name = "", uid = "", deletionTimestamp } = claim.metadata ?? {};
      if (bound.has(uid) || deletionTimestamp) continue;
      bound.add(uid);
      await bind(kit, claim, `${kit.namespace}-${name}`);
    }
    return bound.size >= count;
  });
}

async function bind(kit: Kit, { metadata }: PersistentVolumeClaim, volumeName: string): Promise<void> {
  await kit.create(PERSISTENTVOLUMES, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volumeName },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      claimRef: { kind: "PersistentVolumeClaim", namespace: kit.namespace, name: metadata?.name, uid: metadata?.uid },
    },
  });
  const name = metadata!.name!;
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { metadata: { finalizers: null }, spec: { volumeName } });
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { status: { phase: "Bound" } }, "status");
}

/** A revision made by hand, whose data is no template of the set called `a`. */
export function strangeRevision(name: string): ControllerRevision {
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name, labels: { made: "by-hand" } },
    data: { spec: { replicas: 1 } },
    revision: 1,
  };
}

/** Waits until a namespace has so many revisions. */
export function revisionsAre(kit: Kit, count: number): Promise<ControllerRevision[]> {
  return kit.untilAll(CONTROLLERREVISIONS, `${count} are left`, (revisions) => revisions.length === count);
}

/** What scenarios of claims, volumes and devices begin with: pods that nobody runs, and notes of what is in no namespace. */
import {
  CONFIGMAPS,
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type Pod,
  PODS,
  type PodSpec,
  type Resource,
} from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

/** A node that there is not: whoever is on it is run by nobody, and its status is the scenario's. */
const NOWHERE = { nodeName: "nowhere" };
/** Keeps pods from every node. */
const UNSCHEDULED = { schedulerName: "nobody" };

export interface IdlePodParts {
  readonly spec?: Partial<PodSpec>;
  readonly isScheduled?: boolean;
  readonly finalizers?: string[];
}

/** A pod that nobody runs, on a node or on none. */
export function idlePod(name: string, { spec, isScheduled = true, finalizers }: IdlePodParts = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, finalizers },
    spec: {
      containers: [{ name: "c", image: "nginx:1" }],
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      ...isScheduled ? NOWHERE : UNSCHEDULED,
      ...spec,
    },
  };
}

/** A pod that uses claims. */
export function podWithClaims(name: string, claims: readonly string[], parts: IdlePodParts = {}): Pod {
  const volumes = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }));
  return idlePod(name, { ...parts, spec: { volumes, ...parts.spec } });
}

/** Lets a pod have ended. */
export async function endPod(kit: Kit, name: string, phase: "Succeeded" | "Failed" = "Succeeded"): Promise<void> {
  await kit.merge(PODS, name, { status: { phase } }, "status");
}

/** Removes a pod at once, as a kubelet does in the end. */
export async function removeAtOnce(kit: Kit, name: string): Promise<void> {
  await kit.client.delete(PODS, { namespace: kit.namespace, name }, { gracePeriodSeconds: 0 });
}

/** What a claim asks for. No class provides it. */
export const CLAIM_SPEC: NonNullable<PersistentVolumeClaim["spec"]> = {
  accessModes: ["ReadWriteOnce"],
  storageClassName: "",
  resources: { requests: { storage: "1Gi" } },
};

export function storageClaim(name: string, metadata: PersistentVolumeClaim["metadata"] = {}): PersistentVolumeClaim {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, ...metadata }, spec: CLAIM_SPEC };
}

/** Deletes claims, and waits until those are gone of which nothing else is said. */
export async function deleteClaims(kit: Kit, names: readonly string[], kept: readonly string[] = []): Promise<void> {
  for (const name of names) await kit.delete(PERSISTENTVOLUMECLAIMS, name);
  for (const name of names) if (!kept.includes(name)) await kit.untilGone(PERSISTENTVOLUMECLAIMS, name);
}

/** Waits until the protection of claims has looked at all that came before: it takes them in order. */
export async function claimsLookedAt(kit: Kit): Promise<void> {
  await kit.create(PERSISTENTVOLUMECLAIMS, storageClaim("last"));
  await deleteClaims(kit, ["last"]);
}

/** A volume of this scenario, which is in no namespace. */
export function storageVolume(kit: Kit, name: string, spec: PersistentVolume["spec"] = {}): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: clusterName(kit, name) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "none",
      csi: { driver: "csi.example.com", volumeHandle: name },
      ...spec,
    },
  };
}

/** What something is called that is in no namespace, and belongs to this scenario. */
export function clusterName(kit: Kit, name: string): string {
  return `${kit.namespace}-${name}`;
}

export async function patchCluster(
  kit: Kit,
  resource: Resource,
  name: string,
  body: unknown,
  subresource?: string,
): Promise<void> {
  await kit.client.patch(resource, { name: clusterName(kit, name) }, { type: "merge", body, subresource });
}

export async function setPhase(kit: Kit, name: string, phase: string): Promise<void> {
  await patchCluster(kit, PERSISTENTVOLUMES, name, { status: { phase } }, "status");
}

export async function deleteCluster(kit: Kit, resource: Resource, name: string): Promise<void> {
  await kit.client.delete(resource, { name: clusterName(kit, name) });
}

export async function findCluster<T extends KubeObject>(
  kit: Kit,
  resource: Resource<T>,
  name: string,
): Promise<T | undefined> {
  try {
    return await kit.client.get(resource, { name: clusterName(kit, name) });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Waits until something is true of an object that is in no namespace. */
export async function untilCluster<T extends KubeObject>(
  kit: Kit,
  resource: Resource<T>,
  name: string,
  holds: (object: T | undefined) => unknown,
): Promise<void> {
  // Any kind would do: what is waited for is not in the namespace.
  await kit.untilAll(
    CONFIGMAPS,
    `until ${resource.kind} ${name} is as it should be`,
    async () => holds(await findCluster(kit, resource, name)),
  );
}

/** Writes down in the namespace what has become of an object that is in none: who keeps it, and what managers own of it. */
export async function note(kit: Kit, resource: Resource, name: string): Promise<void> {
  const { metadata } = await findCluster(kit, resource, name) ?? {};
  const owned = metadata?.managedFields?.filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource, fieldsV1 }) => ({ operation, subresource, fieldsV1 }));
  const data = {
    exists: String(metadata !== undefined),
    isDeleted: String(metadata?.deletionTimestamp !== undefined),
    finalizers: String(metadata?.finalizers ?? []),
    owned: JSON.stringify(owned),
  };
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `note-${resource.plural}-${name}` },
    data,
  });
}

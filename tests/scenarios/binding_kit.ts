/** What scenarios of claims and volumes that are bound to each other begin with, and notes of what has become of volumes. */
import {
  CONFIGMAPS,
  EVENTS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  type StorageClass,
  STORAGECLASSES,
} from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";
import { clusterName, untilCluster } from "./volume_kit.ts";

/** A class of this scenario alone, so that its claims get no volumes of others; nobody need have made it. */
export function ownClass(kit: Kit): string {
  return clusterName(kit, "own");
}

type ClaimSpec = NonNullable<PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<PersistentVolume["spec"]>;

/** A claim of the scenario's class, as yet uncreated. */
export function wantedClaim(
  kit: Kit,
  name: string,
  { metadata, storage = "1Gi", ...spec }: Partial<ClaimSpec> & {
    metadata?: PersistentVolumeClaim["metadata"];
    storage?: string;
  } = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: ownClass(kit),
      resources: { requests: { storage } },
      ...spec,
    },
  };
}

/** Creates a claim of the scenario's class. */
export function makeClaim(
  kit: Kit,
  name: string,
  parts: Parameters<typeof wantedClaim>[2] = {},
): Promise<PersistentVolumeClaim> {
  return kit.create(PERSISTENTVOLUMECLAIMS, wantedClaim(kit, name, parts));
}

/** Creates a volume of the scenario's class. */
export function makeVolume(
  kit: Kit,
  name: string,
  { metadata, storage = "1Gi", ...spec }: Partial<VolumeSpec> & {
    metadata?: PersistentVolume["metadata"];
    storage?: string;
  } = {},
): Promise<PersistentVolume> {
  const { hostPath, nfs, ...rest } = spec;
  const source = hostPath ? { hostPath } : nfs ? { nfs } : { csi: { driver: "csi.example.com", volumeHandle: name } };
  return kit.create(PERSISTENTVOLUMES, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...metadata, name: clusterName(kit, name) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage },
      storageClassName: ownClass(kit),
      persistentVolumeReclaimPolicy: "Retain",
      ...source,
      ...rest,
    },
  });
}

/** Makes the scenario's class. */
export function makeClass(
  kit: Kit,
  parts: Partial<StorageClass> & Pick<StorageClass, "provisioner">,
): Promise<StorageClass> {
  return kit.create(STORAGECLASSES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    ...parts,
    metadata: { ...parts.metadata, name: parts.metadata?.name ?? ownClass(kit) },
  });
}

/** A reference to a claim of this name, whichever it is. */
export function refTo(kit: Kit, name: string, uid?: string): VolumeSpec["claimRef"] {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: kit.namespace, name, uid };
}

export function claimIs(kit: Kit, name: string, phase: "Pending" | "Bound" | "Lost"): Promise<PersistentVolumeClaim> {
  return kit.until(PERSISTENTVOLUMECLAIMS, name, `is ${phase}`, ({ status }) => status?.phase === phase);
}

/** Waits until a volume is in a phase, or gone. */
export function volumeIs(kit: Kit, name: string, phase: string | undefined): Promise<void> {
  return untilCluster(kit, PERSISTENTVOLUMES, name, (found) => found?.status?.phase === phase);
}

/** Waits until both are bound to each other. */
export async function areBound(kit: Kit, claim: string, volume: string): Promise<void> {
  const found = await claimIs(kit, claim, "Bound");
  if (found.spec?.volumeName !== clusterName(kit, volume)) {
    throw new Error(`${claim} is bound to ${found.spec?.volumeName} instead of ${volume}`);
  }
  await volumeIs(kit, volume, "Bound");
}

/** Waits until the binder has looked at all that came before: it takes claims, and volumes, in order. */
export async function lookedAt(kit: Kit): Promise<void> {
  for (const round of ["first", "second"]) {
    const className = clusterName(kit, `look-${round}`);
    await makeVolume(kit, `look-${round}`, { storageClassName: className, claimRef: refTo(kit, `look-${round}`) });
    await volumeIs(kit, `look-${round}`, "Available");
    await makeClaim(kit, `look-${round}`, { storageClassName: className });
    await claimIs(kit, `look-${round}`, "Bound");
  }
}

/** Takes an object away at once, whoever wants to keep it. */
export async function removeClaim(kit: Kit, name: string): Promise<void> {
  await kit.delete(PERSISTENTVOLUMECLAIMS, name);
  if (!await kit.find(PERSISTENTVOLUMECLAIMS, name)) return;
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { metadata: { finalizers: null } }).catch(() => {});
  await kit.untilGone(PERSISTENTVOLUMECLAIMS, name);
}

/** Takes a volume away at once, whoever wants to keep it. */
export async function removeVolume(kit: Kit, name: string): Promise<void> {
  const ref = { name: clusterName(kit, name) };
  await kit.client.delete(PERSISTENTVOLUMES, ref);
  await kit.client.patch(PERSISTENTVOLUMES, ref, { type: "merge", body: { metadata: { finalizers: null } } }).catch(
    () => {},
  );
  await untilCluster(kit, PERSISTENTVOLUMES, name, (found) => !found);
}

interface Told {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly component?: string;
}

/** What was told of a volume, each thing once. */
async function toldOf(kit: Kit, volumeName: string): Promise<readonly Told[]> {
  const { items } = await kit.client.list(EVENTS, {
    namespace: "default",
    fieldSelector: `involvedObject.name=${volumeName}`,
  });
  const told = items.map(({ type, reason, message, source }) => ({
    type,
    reason,
    message,
    component: source?.component,
  }));
  return [...new Map(told.map((each) => [JSON.stringify(each), each]))].sort().map(([, each]) => each);
}

/** Waits until an event about a volume has this reason. */
export async function untilTold(kit: Kit, volume: string, reason: string): Promise<void> {
  await untilCluster(kit, PERSISTENTVOLUMES, volume, async () => {
    const told = await toldOf(kit, clusterName(kit, volume));
    return told.some((each) => each.reason === reason);
  });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([k, v]): [string, unknown] => [k, inOrder(v)]).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** Writes down in the namespace what has become of volumes, which are in none, and what was told of them. */
export async function noteVolumes(kit: Kit, ...names: string[]): Promise<void> {
  for (const name of names) await noteVolume(kit, name, clusterName(kit, name));
}

/** Writes down what has become of one volume. */
export async function noteVolume(kit: Kit, name: string, volumeName: string): Promise<void> {
  const found = await kit.client.get(PERSISTENTVOLUMES, { name: volumeName }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const { metadata, spec, status } = found ?? {};
  const owned = metadata?.managedFields?.filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource, fieldsV1 }) => ({ operation, subresource, fieldsV1 }));
  const { labels, annotations, finalizers, deletionTimestamp } = metadata ?? {};
  const claimRef = spec?.claimRef && { ...spec.claimRef, resourceVersion: typeof spec.claimRef.resourceVersion };
  const { lastPhaseTransitionTime: _when, ...said } = status ?? {};
  const data = {
    volume: {
      labels,
      annotations,
      finalizers,
      isDeleted: deletionTimestamp !== undefined,
      spec: { ...spec, claimRef },
      status: said,
    },
    owned,
    told: await toldOf(kit, volumeName),
  };
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `volume-${name}` },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, JSON.stringify(inOrder(value) ?? null)])),
  });
}

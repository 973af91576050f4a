/** What scenarios of quotas begin with, and what they wait for. */
import {
  parseAmounts,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type PodSpec,
  RESOURCEQUOTAS,
  type ResourceQuotaSpec,
  type ResourceRequirements,
  sameAmounts,
  type Service,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";

type Amounts = Readonly<Record<string, string>>;

/** Makes the quota `a`, or another one, and waits until something is known of what it limits. */
export async function limit(kit: Kit, spec: ResourceQuotaSpec, name = "a"): Promise<void> {
  await kit.create(RESOURCEQUOTAS, { apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec });
  await kit.until(RESOURCEQUOTAS, name, "has its limits in its status", ({ status }) => status?.used !== undefined);
}

/** Waits until the quota says that just so much is used. */
export async function untilUsed(kit: Kit, used: Amounts, name = "a"): Promise<void> {
  await kit.until(
    RESOURCEQUOTAS,
    name,
    `says that ${JSON.stringify(used)} is used`,
    ({ status }) => sameAmounts(parseAmounts(status?.used), parseAmounts(used)),
  );
}

export interface PodParts {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Record<string, string>;
}

/** A pod of one container that asks for nothing unless told to. */
export function pod(name: string, { requests, limits, spec, annotations }: PodParts = {}): Pod {
  const resources: ResourceRequirements = { requests, limits };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations },
    spec: { containers: [{ name: "c", image: "nginx:1", resources }], terminationGracePeriodSeconds: 1, ...spec },
  };
}

/** A container of init or pod, which asks for this. */
export function asking(name: string, requests: Amounts, more: object = {}): PodSpec["containers"][number] {
  return { name, image: "nginx:1", resources: { requests }, ...more };
}

/** Deletes a pod and waits until it is gone. */
export async function removePod(kit: Kit, name: string): Promise<void> {
  await kit.delete(PODS, name);
  await kit.untilGone(PODS, name);
}

export function claim(
  name: string,
  storage: string,
  { storageClassName = "", annotations = {} } = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, annotations },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
  };
}

/** Deletes a claim, with the finalizer that the protection controller would take off: it does not run here. */
export async function removeClaim(kit: Kit, name: string): Promise<void> {
  await kit.delete(PERSISTENTVOLUMECLAIMS, name);
  if (await kit.find(PERSISTENTVOLUMECLAIMS, name)) {
    await kit.merge(PERSISTENTVOLUMECLAIMS, name, { metadata: { finalizers: null } });
  }
  await kit.untilGone(PERSISTENTVOLUMECLAIMS, name);
}

export function service(name: string, spec: Partial<ServiceSpec> = {}): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

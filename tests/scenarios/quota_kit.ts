/** What scenarios of quotas begin with, and what they wait for. */
import { parseAmounts, sameAmounts } from "../../src/rules/mod.ts";
import {
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type PodSpec,
  RESOURCEQUOTAS,
  type ResourceQuotaSpec,
  type ResourceRequirements,
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

/** Lets no more than so many pods be made, from now on: nobody need have measured the quota for that. */
export async function limitPods(kit: Kit, count: number): Promise<void> {
  const hard = { pods: String(count) };
  await kit.create(RESOURCEQUOTAS, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "few" },
    spec: { hard },
  });
  await kit.merge(RESOURCEQUOTAS, "few", { status: { hard, used: { pods: "0" } } }, "status");
}

/** Waits until the quota says that just so much is used, because something went. */
export async function untilUsed(kit: Kit, used: Amounts, name = "a"): Promise<void> {
  await kit.until(
    RESOURCEQUOTAS,
    name,
    `says that ${JSON.stringify(used)} is used`,
    ({ status }) => isSame(status?.used, used),
  );
}

/**
 * Waits until the quota says that just so much is used, because something came. Admission charges what comes after the limits,
 * but for what comes before it has read them; the controller counts what came before, but for what it has not yet read; and
 * neither of them looks again. So the quota is measured anew where it says otherwise.
 */
export async function untilCounted(kit: Kit, used: Amounts, name = "a"): Promise<void> {
  await kit.until(RESOURCEQUOTAS, name, `has counted ${JSON.stringify(used)}`, async ({ spec, status }) => {
    if (isSame(status?.used, used)) return true;
    if (isSame(status?.hard, spec?.hard ?? {})) await measureAnew(kit, name);
  });
}

/**
 * Waits until just so much is counted, and the controller has seen that. When something goes, the controller compares what is
 * left with what it last saw: if what was charged since reaches it only then, it does not look again.
 */
export async function untilCountIsSeen(kit: Kit, used: Amounts, name = "a"): Promise<void> {
  await untilCounted(kit, used, name);
  await measureAnew(kit, name);
  await untilCounted(kit, used, name);
}

/**
 * Changes a limit and changes it back, each time until the controller has seen it. What is used is made wrong before: so the
 * controller writes all of it, and owns it, whatever it saw in between.
 */
async function measureAnew(kit: Kit, name: string): Promise<void> {
  const { spec, status } = await kit.get(RESOURCEQUOTAS, name);
  const wrong = Object.fromEntries(Object.keys(status?.used ?? {}).map((counted) => [counted, "1001"]));
  await kit.merge(RESOURCEQUOTAS, name, { status: { used: wrong } }, "status");
  const [limited, usual] = Object.entries(spec?.hard ?? {})[0];
  for (const amount of ["1001", usual]) {
    await kit.merge(RESOURCEQUOTAS, name, { spec: { hard: { [limited]: amount } } });
    await kit.until(
      RESOURCEQUOTAS,
      name,
      `takes ${amount} for ${limited}`,
      ({ status }) => status?.hard?.[limited] === amount,
    );
  }
}

function isSame(found: ResourceQuotaSpec["hard"], wanted: NonNullable<ResourceQuotaSpec["hard"]>): boolean {
  return sameAmounts(parseAmounts(found), parseAmounts(wanted));
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

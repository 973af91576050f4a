/** Pods that share volumes, with SELinux labels. */
import {
  CSIDRIVERS,
  EVENTS,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  type PodSpec,
  type SELinuxOptions,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { CLAIM_SPEC, idlePod, storageClaim } from "./volume_kit.ts";

/** What belongs to no namespace has a name of its scenario's. */
export function ownName(kit: Kit, name: string): string {
  return `${kit.namespace}.${name}`;
}

export async function createDriver(kit: Kit, seLinuxMount: boolean): Promise<void> {
  await kit.client.create(CSIDRIVERS, { metadata: { name: ownName(kit, "csi") }, spec: { seLinuxMount } });
}

interface BoundParts {
  readonly namespace?: string;
  readonly handle?: string;
}

/** A claim, and a volume of the scenario's driver that is bound to it: the volume is there first, and nobody misses it. */
export async function createBound(kit: Kit, name: string, parts: BoundParts = {}): Promise<void> {
  const { namespace = kit.namespace } = parts;
  const volumeName = await createVolume(kit, name, parts);
  const claim = storageClaim(name);
  await kit.client.create(PERSISTENTVOLUMECLAIMS, { ...claim, spec: { ...claim.spec, volumeName } }, { namespace });
  await bindTo(kit, name, namespace);
}

/** Makes the volume of a claim, and binds them. */
export async function bind(kit: Kit, name: string): Promise<void> {
  const volumeName = await createVolume(kit, name, {});
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, { spec: { volumeName } });
  await bindTo(kit, name, kit.namespace);
}

/** @returns Its name. */
async function createVolume(
  kit: Kit,
  name: string,
  { namespace = kit.namespace, handle = name }: BoundParts,
): Promise<string> {
  const volumeName = ownName(kit, `${namespace}.${name}`);
  await kit.client.create(PERSISTENTVOLUMES, {
    metadata: { name: volumeName },
    spec: {
      accessModes: CLAIM_SPEC.accessModes,
      capacity: { storage: "1Gi" },
      claimRef: { namespace, name },
      csi: { driver: ownName(kit, "csi"), volumeHandle: handle },
    },
  });
  return volumeName;
}

/** Binds a claim and its volume, unless a controller has done so. */
async function bindTo(kit: Kit, name: string, namespace: string): Promise<void> {
  const ref = { namespace, name };
  const { metadata } = await kit.client.get(PERSISTENTVOLUMECLAIMS, ref);
  const volume = { name: ownName(kit, `${namespace}.${name}`) };
  const claimRef = { uid: metadata!.uid };
  await kit.client.patch(PERSISTENTVOLUMES, volume, { type: "merge", body: { spec: { claimRef } } });
  const status = { phase: "Bound", accessModes: CLAIM_SPEC.accessModes, capacity: { storage: "1Gi" } };
  await kit.client.patch(PERSISTENTVOLUMECLAIMS, ref, { type: "merge", body: { status }, subresource: "status" });
}

export interface SharerParts {
  readonly claim?: string;
  /** Instead of the claim. */
  readonly volume?: Partial<NonNullable<PodSpec["volumes"]>[number]>;
  readonly options?: SELinuxOptions;
  readonly policy?: string;
  readonly namespace?: string;
  /** Of a second container, which mounts the volume too. */
  readonly secondOptions?: SELinuxOptions;
}

/** A pod that mounts a volume; nobody runs it. */
export async function createSharer(kit: Kit, name: string, parts: SharerParts): Promise<void> {
  const { claim = "data", volume, options, policy, namespace = kit.namespace, secondOptions } = parts;
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const container = { name: "c", image: "nginx:1", volumeMounts };
  const second = { ...container, name: "d", securityContext: { seLinuxOptions: secondOptions } };
  const pod = idlePod(name, {
    isScheduled: false,
    spec: {
      containers: secondOptions ? [container, second] : [container],
      securityContext: { seLinuxOptions: options, seLinuxChangePolicy: policy },
      volumes: [{ name: "v", ...volume ?? { persistentVolumeClaim: { claimName: claim } } }],
    },
  });
  await kit.client.create(PODS, pod, { namespace });
}

export const level = (level: string): SELinuxOptions => ({ level });
export const ONE = level("s0:c1,c2");
export const OTHER = level("s0:c98,c99");

/** Waits until pods were told of this. */
export async function areTold(kit: Kit, reason: string, ...names: string[]): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `${names} are told of ${reason}`,
    (events) =>
      names.every((name) => events.some((event) => event.involvedObject?.name === name && event.reason === reason)),
  );
}

/** Waits until two pods that came last were told of a conflict: by then all that came before has been looked at. */
export async function look(kit: Kit): Promise<void> {
  const volume = { fc: { wwids: [ownName(kit, "last")] } };
  await createSharer(kit, "last-one", { volume, options: ONE });
  await createSharer(kit, "last-other", { volume, options: OTHER });
  await areTold(kit, "SELinuxLabelConflict", "last-one", "last-other");
}

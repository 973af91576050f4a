/** Devices that drivers offer, and taints on them. */
import {
  CONFIGMAPS,
  type DeviceTaint,
  DEVICETAINTRULES,
  type DeviceToleration,
  EVENTS,
  findCondition,
  type Pod,
  PODS,
  RESOURCECLAIMS,
  type ResourceSlice,
  RESOURCESLICES,
} from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { byName, consumer, deviceClaim, devicePod, KEEPER } from "./resourceclaim_kit.ts";
import type { IdlePodParts } from "./volume_kit.ts";

export const DRIVER = "gpu.example.com";
/** A taint that evicts. */
export const BROKEN: DeviceTaint = { key: "example.com/broken", value: "yes", effect: "NoExecute" };
/** Tolerates {@link BROKEN} for so long. */
export const tolerated = (tolerationSeconds?: number): DeviceToleration => ({
  key: BROKEN.key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

/** The name of what belongs to no namespace, of this scenario alone. */
export function ownName(kit: Kit, name: string): string {
  return `${kit.namespace}.${name}`;
}

export interface SliceParts {
  readonly generation?: number;
  readonly sliceCount?: number;
  readonly nodeName?: string;
  /** By default the scenario's own. */
  readonly pool?: string;
}

/** Offers devices in the scenario's own pool, with the taints that they have. */
export async function offer(
  kit: Kit,
  devices: Readonly<Record<string, readonly DeviceTaint[]>>,
  { name = "slice", generation = 1, sliceCount = 1, nodeName, pool = kit.namespace }: SliceParts & {
    readonly name?: string;
  } = {},
): Promise<ResourceSlice> {
  return await kit.client.create(RESOURCESLICES, {
    metadata: { name: ownName(kit, name) },
    spec: {
      driver: DRIVER,
      pool: { name: pool, generation, resourceSliceCount: sliceCount },
      ...nodeName ? { nodeName } : { allNodes: true },
      devices: Object.entries(devices).map(([name, taints]) => ({ name, taints: [...taints] })),
    },
  });
}

/** Gives the devices of a slice other taints, in the same generation of the pool or in a later one. */
export async function taint(
  kit: Kit,
  devices: Readonly<Record<string, readonly DeviceTaint[]>>,
  { name = "slice", generation }: { readonly name?: string; readonly generation?: number } = {},
): Promise<void> {
  const each = Object.entries(devices).map(([name, taints]) => ({ name, taints }));
  const body = { spec: { devices: each, ...generation && { pool: { generation } } } };
  await kit.merge(RESOURCESLICES, ownName(kit, name), body);
}

export interface UserParts extends IdlePodParts {
  readonly tolerations?: readonly DeviceToleration[];
  /** For whom the device is reserved; by default for the pod. */
  readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  readonly device?: string;
}

/** Gives a claim a device of the scenario's pool. */
export async function giveDevice(
  kit: Kit,
  claim: string,
  { tolerations, reservedFor = [], device = "d" }: Pick<UserParts, "tolerations" | "reservedFor" | "device">,
): Promise<void> {
  const result = { request: "r", driver: DRIVER, pool: kit.namespace, device, tolerations };
  await kit.merge(RESOURCECLAIMS, claim, { metadata: { finalizers: [KEEPER] } });
  const status = { allocation: { devices: { results: [result] } }, reservedFor };
  await kit.merge(RESOURCECLAIMS, claim, { status }, "status");
}

/** A pod on a node that uses the device `d`, by a claim of its own name. */
export async function createUser(kit: Kit, name: string, parts: UserParts = {}): Promise<Pod> {
  await kit.create(RESOURCECLAIMS, deviceClaim(name));
  const pod = await kit.create(PODS, devicePod(name, [byName(name)], { isScheduled: true, ...parts }));
  await giveDevice(kit, name, { reservedFor: [await consumer(kit, name)], ...parts });
  return pod;
}

/** Waits until a pod is being deleted. */
export async function isEvicted(kit: Kit, name: string): Promise<void> {
  await kit.until(
    PODS,
    name,
    "is evicted",
    ({ metadata, status }) =>
      metadata?.deletionTimestamp && findCondition(status?.conditions, "DisruptionTarget")?.status === "True",
  );
}

/** Waits until a pod that came last is evicted: by then all that came before has been looked at. */
export async function look(kit: Kit, name = "last"): Promise<void> {
  await offer(kit, { [name]: [BROKEN] }, { name, pool: ownName(kit, name) });
  await kit.create(RESOURCECLAIMS, deviceClaim(name));
  await kit.create(PODS, devicePod(name, [byName(name)], { isScheduled: true }));
  const result = { request: "r", driver: DRIVER, pool: ownName(kit, name), device: name };
  const status = { allocation: { devices: { results: [result] } }, reservedFor: [await consumer(kit, name)] };
  await kit.merge(RESOURCECLAIMS, name, { status }, "status");
  await isEvicted(kit, name);
}

/** Waits until it was told that the eviction of a pod is called off. */
export async function isCalledOff(kit: Kit, name: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `one says that ${name} stays`,
    (events) =>
      events.some(({ involvedObject, message }) => involvedObject?.name === name && message === "Cancelling deletion"),
  );
}

/** A rule that taints devices of the scenario's pool alone. */
export async function createRule(
  kit: Kit,
  name: string,
  effect: string,
  device?: string,
): Promise<void> {
  await kit.client.create(DEVICETAINTRULES, {
    metadata: { name: ownName(kit, name) },
    spec: {
      deviceSelector: { driver: DRIVER, pool: kit.namespace, device },
      taint: { key: BROKEN.key, value: "rule", effect },
    },
  });
}

/** Waits until a rule's condition has this reason and such a message. */
export async function ruleSays(kit: Kit, name: string, reason: string, message = ""): Promise<void> {
  await kit.until(
    DEVICETAINTRULES,
    ownName(kit, name),
    `says ${reason} ${message}`,
    ({ status }) => {
      const condition = findCondition(status?.conditions, "EvictionInProgress");
      return condition?.reason === reason && condition.message.includes(message);
    },
  );
}

/** Writes down what a rule says, and who says it. */
export async function noteRule(kit: Kit, name: string): Promise<void> {
  const { metadata, status } = await kit.get(DEVICETAINTRULES, ownName(kit, name));
  const conditions = status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  const managers = metadata?.managedFields?.filter(({ subresource }) => subresource === "status")
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  const data = { conditions: JSON.stringify(conditions), managers: JSON.stringify(managers) };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `rule.${name}` }, data });
}

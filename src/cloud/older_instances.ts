import type { Node, NodeAddress } from "../api/mod.ts";
import { errorText } from "../base/mod.ts";
import { CloudError, InstanceNotFoundError, NotImplementedError } from "./errors.ts";
import type { InstanceMetadata, Instances } from "./provider.ts";

/**
 * Upstream's older interface for machines. IDs are whole provider IDs such as `fake://i-1`, except for the result of
 * `instanceID`.
 * Upstream: `k8s.io/cloud-provider/cloud.go` (Instances).
 */
export interface OlderInstances {
  nodeAddresses(name: string, signal: AbortSignal): Promise<readonly NodeAddress[]>;
  nodeAddressesByProviderID(providerID: string, signal: AbortSignal): Promise<readonly NodeAddress[]>;
  /**
   * The part after `fake://` in the machine's provider ID.
   *
   * @throws {InstanceNotFoundError} If there is definitely no such machine: its Node is deleted.
   * @throws {NotImplementedError} If machines of this cloud have no ID.
   */
  instanceID(name: string, signal: AbortSignal): Promise<string>;
  instanceType(name: string, signal: AbortSignal): Promise<string>;
  instanceTypeByProviderID(providerID: string, signal: AbortSignal): Promise<string>;
  /** `false` only if there is definitely no such machine: its Node is deleted. */
  instanceExistsByProviderID(providerID: string, signal: AbortSignal): Promise<boolean>;
  /** @throws {NotImplementedError} If the cloud cannot tell; no machine then counts as stopped. */
  instanceShutdownByProviderID(providerID: string, signal: AbortSignal): Promise<boolean>;
}

/** Upstream's older interface for machines' zones. Upstream: `k8s.io/cloud-provider/cloud.go` (Zones). */
export interface OlderZones {
  getZoneByProviderID(providerID: string, signal: AbortSignal): Promise<OlderZone>;
  getZoneByNodeName(name: string, signal: AbortSignal): Promise<OlderZone>;
}

/** A machine's location; empty fields are unknown. */
export interface OlderZone {
  readonly failureDomain: string;
  readonly region: string;
}

/** Arguments of {@link instancesOf}. */
export interface OlderProvider {
  /** The part before `://` in provider IDs. */
  readonly providerName: string;
  readonly instances: OlderInstances;
  readonly zones?: OlderZones;
}

/** The taint of Nodes that wait to be initialized; others only need their addresses updated. */
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/**
 * Adapts a provider written for upstream's older interface to {@link Instances}. Errors pass through, except for the
 * three that have a meaning there. For an initialized Node only the addresses are read, as upstream does.
 *
 * Upstream: `k8s.io/cloud-provider/controllers/{node,nodelifecycle}`, where `Instances` is used.
 *
 * @example
 * ```ts
 * import { instancesOf, NotImplementedError } from "kubeloop/cloud";
 * import { assertEquals } from "@std/assert";
 *
 * const instances = instancesOf({
 *   providerName: "fake",
 *   instances: {
 *     nodeAddresses: () => Promise.resolve([]),
 *     nodeAddressesByProviderID: () => Promise.resolve([{ type: "InternalIP", address: "10.0.0.1" }]),
 *     instanceID: (name) => Promise.resolve(`i-${name}`),
 *     instanceType: () => Promise.resolve("small"),
 *     instanceTypeByProviderID: () => Promise.resolve("small"),
 *     instanceExistsByProviderID: (id) => Promise.resolve(id === "fake://i-n"),
 *     instanceShutdownByProviderID: () => Promise.reject(new NotImplementedError()),
 *   },
 * });
 * const { signal } = new AbortController();
 * const node = { metadata: { name: "n" } };
 * assertEquals(await instances.instanceExists(node, signal), true);
 * assertEquals(await instances.instanceShutdown(node, signal), false);
 * ```
 */
export function instancesOf(provider: OlderProvider): Instances {
  const { instances } = provider;
  return {
    async instanceExists(node, signal) {
      try {
        return await instances.instanceExistsByProviderID(await resolvedID(node, provider, signal), signal);
      } catch (error) {
        if (error instanceof UnresolvedError) return false;
        throw error;
      }
    },
    async instanceShutdown(node, signal) {
      try {
        const providerID = await resolvedID(node, provider, signal);
        return await instances.instanceShutdownByProviderID(providerID, signal).catch(unlessNotImplemented(false));
      } catch (error) {
        if (error instanceof UnresolvedError) return false;
        throw error;
      }
    },
    instanceMetadata: (node, signal) =>
      isInitialized(node) ? addressesOnly(node, provider, signal) : allMetadata(node, provider, signal),
  };
}

/**
 * The cloud has no machine of the Node's name; other calls may fail with {@link InstanceNotFoundError} for other
 * reasons.
 */
class UnresolvedError extends InstanceNotFoundError {}

/** @throws {UnresolvedError} If the Node has no provider ID, and the cloud no machine of its name. */
async function resolvedID(
  node: Node,
  { providerName, instances }: OlderProvider,
  signal: AbortSignal,
): Promise<string> {
  if (node.spec?.providerID) return node.spec.providerID;
  try {
    return `${providerName}://${await instances.instanceID(nameOf(node), signal)}`;
  } catch (cause) {
    if (cause instanceof NotImplementedError) throw cause;
    if (cause instanceof InstanceNotFoundError) throw new UnresolvedError(cause.message, { cause });
    throw new CloudError(`failed to get instance ID from cloud provider: ${errorText(cause)}`, { cause });
  }
}

async function allMetadata(node: Node, provider: OlderProvider, signal: AbortSignal): Promise<InstanceMetadata> {
  const { instances, zones } = provider;
  const name = nameOf(node);
  const providerID = await resolvedID(node, provider, signal).catch(unlessNotImplemented(""));
  const nodeAddresses = await addressesOf(name, providerID, instances, signal);
  const instanceType = await byEither(
    () => instances.instanceTypeByProviderID(providerID, signal),
    () => instances.instanceType(name, signal),
    (byID, byName) => `InstanceType: Error fetching by providerID: ${byID} Error fetching by NodeName: ${byName}`,
  );
  if (!zones) return { providerID, nodeAddresses, instanceType };
  const { failureDomain, region } = await byEither(
    () => zones.getZoneByProviderID(providerID, signal),
    () => zones.getZoneByNodeName(name, signal),
    (byID, byName) =>
      "failed to get zone from cloud provider: " +
      `Zone: Error fetching by providerID: ${byID} Error fetching by NodeName: ${byName}`,
  );
  return { providerID, nodeAddresses, instanceType, zone: failureDomain, region };
}

async function addressesOnly(
  node: Node,
  { instances }: OlderProvider,
  signal: AbortSignal,
): Promise<InstanceMetadata> {
  const providerID = node.spec?.providerID ?? "";
  return { providerID, nodeAddresses: await addressesOf(nameOf(node), providerID, instances, signal) };
}

function addressesOf(
  name: string,
  providerID: string,
  instances: OlderInstances,
  signal: AbortSignal,
): Promise<readonly NodeAddress[]> {
  return byEither(
    () => instances.nodeAddressesByProviderID(providerID, signal),
    () => instances.nodeAddresses(name, signal),
    (byID, byName) => `error fetching node by provider ID: ${byID}, and error by node name: ${byName}`,
  );
}

/**
 * Looks up by provider ID or, failing that, by the Node's name.
 * @throws {CloudError} With both reasons.
 */
async function byEither<T>(
  byID: () => Promise<T>,
  byName: () => Promise<T>,
  message: (byID: string, byName: string) => string,
): Promise<T> {
  try {
    return await byID();
  } catch (first) {
    try {
      return await byName();
    } catch (cause) {
      throw new CloudError(message(errorText(first), errorText(cause)), { cause });
    }
  }
}

function unlessNotImplemented<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NotImplementedError) return otherwise;
    throw error;
  };
}

function isInitialized({ spec }: Node): boolean {
  return !spec?.taints?.some(({ key }) => key === UNINITIALIZED);
}

function nameOf({ metadata }: Node): string {
  return metadata?.name ?? "";
}

import {
  groupResource,
  type KubeObject,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  Quantity,
  type Resource,
  type ResourceQuota,
  type ResourceV1ResourceClaim,
  type Service,
} from "../api/mod.ts";
import { claimUsage, type ExtendedDevices, isClaimQuotaResource } from "./quota_claims.ts";
import { isPodQuotaResource, podUsage, unstatedPodResources } from "./quota_pods.ts";
import { claimMatchesScope, podMatchesScope, type QuotaScope, quotaScopes } from "./quota_scopes.ts";
import { type Amounts, parseAmounts } from "./resource_list.ts";

/**
 * How objects of one kind count towards quotas. It is pure: admission asks it about one object, and the quota
 * controller adds up its answers for all objects. Upstream: `apiserver/pkg/quota/v1/interfaces.go` (Evaluator).
 *
 * @typeParam T The kind.
 */
export interface QuotaEvaluator<T extends KubeObject = KubeObject> {
  /** Whether a name in a quota's `hard` is measured on this kind. */
  measures(name: string): boolean;
  /** The usage of one object. Throws a `QuantityError` if the object states an invalid quantity. */
  usage(object: T, nowMs: number): Amounts;
  /** Whether a quota's scope includes the object. Throws a `SelectorError` if the scope is invalid. */
  matchesScope(object: T, scope: QuotaScope): boolean;
  /** The resources that the object fails to state although a quota limits them (`limited`). */
  unstated(object: T, limited: readonly string[]): string | undefined;
}

const ONE = Quantity.of(1n);
const CLASS_SUFFIX = ".storageclass.storage.k8s.io/";

const noScope = () => false;
const nothingUnstated = () => undefined;

const pods: QuotaEvaluator<Pod> = {
  measures: isPodQuotaResource,
  usage: podUsage,
  matchesScope: podMatchesScope,
  unstated: unstatedPodResources,
};

const SERVICE_RESOURCES = ["count/services", "services", "services.nodeports", "services.loadbalancers"];

/** Upstream: `pkg/quota/v1/evaluator/core/services.go`. */
const services: QuotaEvaluator<Service> = {
  measures: (name) => SERVICE_RESOURCES.includes(name),
  usage({ spec }) {
    const { type, ports = [], allocateLoadBalancerNodePorts = true } = spec ?? {};
    const balances = type === "LoadBalancer";
    // Ports are not allocated yet, so the requested ones count.
    const nodePorts = type === "NodePort" || (balances && allocateLoadBalancerNodePorts)
      ? ports
      : balances
      ? ports.filter(({ nodePort }) => nodePort)
      : [];
    return new Map([
      ["count/services", ONE],
      ["services", ONE],
      ["services.loadbalancers", balances ? ONE : Quantity.ZERO],
      ["services.nodeports", Quantity.of(BigInt(nodePorts.length))],
    ]);
  },
  matchesScope: noScope,
  unstated: nothingUnstated,
};

const CLAIM_RESOURCES = ["persistentvolumeclaims", "requests.storage"];

/** Upstream: `pkg/quota/v1/evaluator/core/persistent_volume_claims.go`. */
const persistentVolumeClaims: QuotaEvaluator<PersistentVolumeClaim> = {
  measures: (name) =>
    name === "count/persistentvolumeclaims" || CLAIM_RESOURCES.includes(name) ||
    CLAIM_RESOURCES.some((each) => name.endsWith(CLASS_SUFFIX + each)),
  usage(claim) {
    const usage = new Map([["persistentvolumeclaims", ONE], ["count/persistentvolumeclaims", ONE]]);
    const storageClass = storageClassOf(claim);
    if (storageClass) usage.set(`${storageClass}${CLASS_SUFFIX}persistentvolumeclaims`, ONE);
    const storage = storageOf(claim);
    if (!storage) return usage;
    usage.set("requests.storage", storage);
    if (storageClass) usage.set(`${storageClass}${CLASS_SUFFIX}requests.storage`, storage);
    return usage;
  },
  matchesScope: claimMatchesScope,
  unstated: nothingUnstated,
};

/** Names the storage class of claims and volumes; it predates the field and takes precedence over it. */
export const OLD_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

/** The storage class of a claim or volume, which a legacy annotation may name; empty if none is named. */
export function storageClassOf(
  { metadata, spec }: Pick<PersistentVolumeClaim | PersistentVolume, "metadata" | "spec">,
): string {
  return metadata?.annotations?.[OLD_CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
}

/** The larger of the requested and the allocated storage, in whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = spec?.resources?.requests?.storage;
  if (asked === undefined) return undefined;
  const request = Quantity.parse(asked);
  const allocated = Quantity.parse(status?.allocatedResources?.storage);
  return (allocated.compare(request) > 0 ? allocated : request).roundUp(0);
}

function resourceClaims(devices: ExtendedDevices | undefined): QuotaEvaluator<ResourceV1ResourceClaim> {
  return {
    measures: (name) => isClaimQuotaResource(name, devices),
    usage: (claim, nowMs) => claimUsage(claim, { devices, nowMs }),
    matchesScope: noScope,
    unstated: nothingUnstated,
  };
}

/** Kinds that are counted under a second name, from before there was `count/`. */
const LEGACY_NAMES = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

function counting(names: readonly string[]): QuotaEvaluator {
  const usage: Amounts = new Map(names.map((name) => [name, ONE]));
  return {
    measures: (name) => names.includes(name),
    usage: () => usage,
    matchesScope: noScope,
    unstated: nothingUnstated,
  };
}

const RESOURCE_CLAIMS = "resourceclaims.resource.k8s.io";

const EVALUATORS: Readonly<Record<string, QuotaEvaluator<never>>> = {
  "pods": pods,
  "services": services,
  "persistentvolumeclaims": persistentVolumeClaims,
};

/**
 * How a kind counts towards quotas: by its own rules, or by the number of objects.
 *
 * @param options.devices Lets claims of devices count as the extended resources that these stand in for.
 *
 * @example
 * ```ts
 * import { type Service, SERVICES } from "kubeloop/api";
 * import { amountsText, quotaEvaluator } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const service: Service = { spec: { type: "NodePort", ports: [{ port: 80 }] } };
 * const usage = amountsText(quotaEvaluator(SERVICES).usage(service, 0));
 * assertEquals(usage, "count/services=1,services=1,services.loadbalancers=0,services.nodeports=1");
 * ```
 */
export function quotaEvaluator(
  kind: Pick<Resource, "group" | "plural">,
  { devices }: { readonly devices?: ExtendedDevices } = {},
): QuotaEvaluator {
  const name = groupResource(kind);
  // Whoever asks for a kind's evaluator has objects of that kind.
  const own = (name === RESOURCE_CLAIMS ? resourceClaims(devices) : EVALUATORS[name]) as QuotaEvaluator | undefined;
  return own ?? counting(LEGACY_NAMES.includes(name) ? [`count/${name}`, name] : [`count/${name}`]);
}

/** Whether a quota applies to the object, by its `status.hard` and its scopes. */
export function quotaMatches<T extends KubeObject>(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator<T>,
  object: T,
): boolean {
  return Object.keys(quota.status?.hard ?? {}).some((name) => evaluator.measures(name)) &&
    quotaScopes(quota).every((scope) => evaluator.matchesScope(object, scope));
}

/** A quota's limits and usage, from its status. */
export function quotaStatus({ status }: ResourceQuota): { readonly hard: Amounts; readonly used: Amounts } {
  return { hard: parseAmounts(status?.hard), used: parseAmounts(status?.used) };
}

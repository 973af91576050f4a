import { deepEqual } from "../../base/mod.ts";
import type { Service, ServicePort, ServiceSpec } from "../../api/mod.ts";
import { hasFinalizer } from "../running/mod.ts";

/** Keeps a Service until its balancer is deleted. Every cloud's manager uses the same one. */
export const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

/** Whether the Service wants a balancer of the cloud provider, and not one of another class. */
export function wantsBalancer({ spec }: Service): boolean {
  return spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
}

export function isBeingDeleted({ metadata }: Service): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

/** Whether there may be an unwanted balancer. */
export function needsCleanup(service: Service): boolean {
  return hasFinalizer(service, FINALIZER) && (isBeingDeleted(service) || service.spec?.type !== "LoadBalancer");
}

/**
 * Whether the Service must have no balancer. Departure: that includes one that is being deleted without our finalizer,
 * because somebody removed it while other finalizers remain. Upstream keeps trying to add the finalizer, which the API
 * server refuses by then.
 */
export function isToHaveNone(service: Service): boolean {
  return !wantsBalancer(service) || needsCleanup(service) || isBeingDeleted(service);
}

/** Whether a newly seen Service must be synced. */
export function needsSync(service: Service): boolean {
  return wantsBalancer(service) || needsCleanup(service);
}

/** Fields that a balancer depends on and that are compared directly. */
const FIELDS = [
  "loadBalancerSourceRanges",
  "sessionAffinity",
  "sessionAffinityConfig",
  "loadBalancerIP",
  "externalIPs",
  "externalTrafficPolicy",
  "healthCheckNodePort",
] as const satisfies readonly (keyof ServiceSpec)[];

const PORT_FIELDS = ["name", "protocol", "port", "nodePort", "targetPort", "appProtocol"] as const satisfies readonly (
  keyof ServicePort
)[];

/**
 * Whether a change of a Service may affect its balancer.
 *
 * Departures: a Service that loses the finalizer while it wants a balancer gets it back, and one whose deletion begins
 * without it is synced; upstream ignores both, and the balancer may outlive its Service.
 * Upstream: needsUpdate.
 */
export function needsUpdate(before: Service, service: Service): boolean {
  if (before === service) return false; // the cache was merely replayed
  const wants = wantsBalancer(service);
  if (wantsBalancer(before) !== wants) return true;
  if (!wants) return false;
  const [old, spec]: ServiceSpec[] = [before.spec ?? {}, service.spec ?? {}];
  return FIELDS.some((field) => !deepEqual(old[field] || undefined, spec[field] || undefined)) ||
    !haveSamePorts(old.ports ?? [], spec.ports ?? []) ||
    !deepEqual(before.metadata?.annotations ?? {}, service.metadata?.annotations ?? {}) ||
    before.metadata?.uid !== service.metadata?.uid ||
    (old.ipFamilies?.length ?? 0) !== (spec.ipFamilies?.length ?? 0) ||
    // If it is being deleted, we may have removed it ourselves.
    (hasFinalizer(before, FINALIZER) && !hasFinalizer(service, FINALIZER) && !isBeingDeleted(service)) ||
    isBeingDeleted(before) !== isBeingDeleted(service);
}

function haveSamePorts(before: readonly ServicePort[], ports: readonly ServicePort[]): boolean {
  return before.length === ports.length &&
    ports.every((port, i) => PORT_FIELDS.every((field) => before[i][field] === port[field]));
}

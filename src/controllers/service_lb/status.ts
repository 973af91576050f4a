import { deepEqual } from "../../base/mod.ts";
import {
  isDns1123Subdomain,
  type LoadBalancerIngress,
  type LoadBalancerStatus,
  type PortStatus,
} from "../../api/mod.ts";
import { canonicalAddress } from "../service_pods/mod.ts";

/** A cloud's answer is not a valid status of a Service. */
class BalancerStatusError extends Error {
  override readonly name = "BalancerStatusError";

  constructor(where: string, problem: string) {
    super(`Cannot use the status of the load balancer that the cloud provider returned: ${where} ${problem}`);
  }
}

/** The most addresses of a balancer: some clouds name every node. */
const MOST_INGRESSES = 1_000;
/** The most ports of all addresses together. */
const MOST_PORTS = 10_000;
const LONGEST_TEXT = 317;
const LONGEST_SHOWN = 100;
const IP_MODES: readonly unknown[] = ["VIP", "Proxy"];
const PROTOCOLS: readonly unknown[] = ["TCP", "UDP", "SCTP"];

/**
 * The addresses in a cloud's status, reduced to the fields that Services have.
 *
 * @throws {BalancerStatusError} If the API server would not accept them, or there are too many.
 *
 * @example
 * ```ts
 * import { ingressOf } from "./status.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(ingressOf({ ingress: [{ ip: "1.2.3.4" }] }), [{ ip: "1.2.3.4" }]);
 * assertThrows(() => ingressOf({ ingress: [{ ip: "nowhere" }] }), Error, 'ingress[0].ip "nowhere" is not an IP address');
 * ```
 */
export function ingressOf(status: LoadBalancerStatus): LoadBalancerIngress[] {
  const list: unknown = status.ingress ?? [];
  if (!Array.isArray(list)) throw new BalancerStatusError("ingress", `${shown(list)} is not a list`);
  if (list.length > MOST_INGRESSES) {
    throw new BalancerStatusError("ingress", `has ${list.length} entries, and may have ${MOST_INGRESSES}`);
  }
  let ports = 0;
  return list.map((entry, i) => {
    const where = `ingress[${i}]`;
    const ingress = ingressEntry(recordOf(entry, where), where);
    ports += ingress.ports?.length ?? 0;
    if (ports > MOST_PORTS) throw new BalancerStatusError(where, `is where there are more than ${MOST_PORTS} ports`);
    return ingress;
  });
}

/** Whether two lists of addresses are equal. The API server defaults the mode of addresses. */
export function isSameIngress(
  before: readonly LoadBalancerIngress[] | undefined,
  after: readonly LoadBalancerIngress[] | undefined,
): boolean {
  return deepEqual((before ?? []).map(withMode), (after ?? []).map(withMode));
}

function withMode(ingress: LoadBalancerIngress): LoadBalancerIngress {
  return ingress.ip ? { ...ingress, ipMode: ingress.ipMode ?? "VIP" } : ingress;
}

function ingressEntry(entry: Record<string, unknown>, where: string): LoadBalancerIngress {
  const { ip, hostname, ipMode, ports } = entry;
  const ingress: LoadBalancerIngress = {};
  if (isGiven(ip)) {
    if (!isText(ip) || !canonicalAddress(ip)) {
      throw new BalancerStatusError(`${where}.ip`, `${shown(ip)} is not an IP address`);
    }
    ingress.ip = ip;
  }
  if (isGiven(hostname)) {
    if (!isText(hostname) || !isDns1123Subdomain(hostname) || canonicalAddress(hostname)) {
      throw new BalancerStatusError(`${where}.hostname`, `${shown(hostname)} is not a DNS name`);
    }
    ingress.hostname = hostname;
  }
  if (isGiven(ipMode)) {
    if (!ingress.ip) throw new BalancerStatusError(`${where}.ipMode`, "is given without an ip");
    if (!IP_MODES.includes(ipMode)) {
      throw new BalancerStatusError(`${where}.ipMode`, `${shown(ipMode)} is neither VIP nor Proxy`);
    }
    ingress.ipMode = ipMode as string;
  }
  if (isGiven(ports)) {
    if (!Array.isArray(ports)) throw new BalancerStatusError(`${where}.ports`, `${shown(ports)} is not a list`);
    if (ports.length > MOST_PORTS) {
      throw new BalancerStatusError(`${where}.ports`, `has ${ports.length} entries, and may have ${MOST_PORTS}`);
    }
    ingress.ports = ports.map((port, i) => portEntry(recordOf(port, `${where}.ports[${i}]`), `${where}.ports[${i}]`));
  }
  return ingress;
}

function portEntry({ port, protocol, error }: Record<string, unknown>, where: string): PortStatus {
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    throw new BalancerStatusError(`${where}.port`, `${shown(port)} is not a port`);
  }
  if (!PROTOCOLS.includes(protocol)) {
    throw new BalancerStatusError(`${where}.protocol`, `${shown(protocol)} is not a protocol`);
  }
  if (isGiven(error) && !isText(error)) {
    throw new BalancerStatusError(`${where}.error`, `${shown(error)} is not a reason`);
  }
  return { port: Number(port), protocol: protocol as string, ...isGiven(error) && { error: error as string } };
}

/** Values that Go omits from JSON count as absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_TEXT;
}

function recordOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new BalancerStatusError(where, `${shown(value)} is not an object`);
}

/** A value for an error message, truncated. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, LONGEST_SHOWN)) : typeof value;
  return typeof value === "number" ? String(value) : text;
}

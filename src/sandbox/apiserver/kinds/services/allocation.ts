import type { Service, ServiceSpec } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { type ApiError, internalError, invalid, translate } from "../../base/mod.ts";
import type { Stored, WriteContext } from "../../traits/mod.ts";
import { familyOf, FieldErrors } from "../../validation/mod.ts";
import { addressProblem, defaultFamily, freeAddress } from "./addresses.ts";
import { NodePorts, PortError } from "./node_ports.ts";
import { validateAddresses } from "./validate_addresses.ts";

/** A Service to write, and the one it replaces. */
interface Change {
  readonly service: Stored<Service>;
  readonly spec: ServiceSpec;
  readonly old?: Stored<Service>;
  readonly context: WriteContext;
}

const equal = (a: readonly string[] = [], b: readonly string[] = []) => deepEqual(a, b);

function stopIfInvalid({ service, context }: Change, { causes }: FieldErrors): void {
  if (causes.length > 0) throw invalid(context.served, service.metadata.name ?? "", causes);
}

function refusal(change: Change, field: string, value: unknown, why: string): ApiError {
  const errors = new FieldErrors();
  errors.invalid(field, value, why);
  return invalid(change.context.served, change.service.metadata.name ?? "", errors.causes);
}

/** `clusterIP` equals the first of `clusterIPs`. Upstream: normalizeClusterIPs. */
function mirrorAddresses({ spec, old }: Change): void {
  const before = old?.spec;
  if (!before) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (before.clusterIPs?.length && !spec.clusterIPs?.length && before.clusterIP === spec.clusterIP) {
    spec.clusterIPs = [...before.clusterIPs];
  }
  if ((before.clusterIP ?? "") === (spec.clusterIP ?? "") || !equal(before.clusterIPs, spec.clusterIPs)) return;
  if (before.clusterIP && !spec.clusterIP) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP ?? ""];
}

const needsAddress = ({ type }: ServiceSpec) => type !== "ExternalName";
const hasNodePorts = ({ type }: ServiceSpec) => type === "NodePort" || type === "LoadBalancer";
const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec) =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec) =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** Keeps allocated values that an update omits. Upstream: patchAllocatedValues. */
function keepAllocated({ spec, old }: Change): void {
  const before = old?.spec;
  if (!before) return;
  if (needsAddress(before) && needsAddress(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && before.clusterIPs?.length) spec.clusterIPs = [...before.clusterIPs];
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) {
    const byName = new Map((before.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
    const had = new Set(byName.values());
    const kept = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => had.has(port)));
    for (const port of spec.ports ?? []) {
      const value = byName.get(port.name ?? "");
      if (!port.nodePort && value && !kept.has(value)) port.nodePort = value;
    }
  }
  if (needsHealthCheck(before) && needsHealthCheck(spec)) spec.healthCheckNodePort ||= before.healthCheckNodePort;
}

/** Upstream: initIPFamilyFields. */
function chooseFamilies(change: Change): void {
  const { spec, old, context: { state } } = change;
  if (!needsAddress(spec)) return;
  const isSelectorless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec?.ipFamilyPolicy ?? (isSelectorless ? "RequireDualStack" : "SingleStack");
  const errors = new FieldErrors();
  validateAddresses(spec, old?.spec, errors);
  stopIfInvalid(change, errors);
  reconcileFamilies(change, errors);
  const family = defaultFamily(state);
  for (const [i, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === "None") break;
    if (i < (spec.ipFamilies?.length ?? 0)) continue;
    const own = familyOf(address);
    if (own === family) spec.ipFamilies = [...spec.ipFamilies ?? [], own];
    else errors.invalid(`spec.clusterIPs[${i}]`, spec.clusterIPs, "is of a family that this cluster does not have");
  }
  stopIfInvalid(change, errors);
  if (isSelectorless) {
    const families = spec.ipFamilies?.length ? spec.ipFamilies : [family];
    const isSingle = families.length > 1 || spec.ipFamilyPolicy === "SingleStack";
    spec.ipFamilies = isSingle ? families : [families[0], families[0] === "IPv4" ? "IPv6" : "IPv4"];
    return;
  }
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    errors.invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, "this cluster has one stack");
  }
  for (const [i, own] of (spec.ipFamilies ?? []).entries()) {
    if (own !== family) errors.invalid(`spec.ipFamilies[${i}]`, own, "not configured on this cluster");
  }
  stopIfInvalid(change, errors);
  if (!spec.ipFamilies?.length) spec.ipFamilies = [family];
}

/** Checks the number of families against the policy. */
function reconcileFamilies({ spec, old }: Change, errors: FieldErrors): void {
  const at = "spec.ipFamilyPolicy";
  const before = old?.spec;
  const isSingle = spec.ipFamilyPolicy === "SingleStack";
  if (before && isSingle) {
    if (equal(before.clusterIPs, spec.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
    if (equal(before.ipFamilies, spec.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
  }
  const isDouble = spec.clusterIPs?.length === 2 || spec.ipFamilies?.length === 2;
  if (isSingle && isDouble) errors.invalid(at, spec.ipFamilyPolicy, "must not be 'SingleStack' with two of them");
}

/** Upstream: allocClusterIPs. */
function allocateAddresses(change: Change): void {
  const { spec, old, context: { state } } = change;
  if (!needsAddress(spec) || spec.clusterIPs?.[0] === "None") return;
  if (old && old.spec?.type !== "ExternalName") return;
  const addresses = [...spec.clusterIPs ?? []];
  for (const i of (spec.ipFamilies ?? []).keys()) {
    const problem = addresses[i] && addressProblem(state, addresses[i]);
    if (problem) {
      throw refusal(change, "spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${addresses[i]}: ${problem}`);
    }
    addresses[i] ||= freeAddress(state) ?? "";
    if (addresses[i]) continue;
    const name = change.service.metadata.name ?? "";
    throw internalError(`failed to allocate a serviceIP for Service "${name}": range is full`);
  }
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0];
}

/** Upstream: initNodePorts and updateNodePorts. */
function allocateNodePorts(change: Change, ports: NodePorts): void {
  const { spec, old } = change;
  const allocates = needsNodePorts(spec);
  const wanted = spec.ports ?? [];
  // In a new Service, a port has the same node port for all protocols. Of several that are asked for, the first counts.
  const asked = old ? [] : wanted.filter(({ nodePort }) => nodePort).toReversed();
  const byPort = new Map(asked.map(({ port, nodePort }) => [port, nodePort]));
  const taken = new Set<number>();
  for (const [i, port] of wanted.entries()) {
    if (!port.nodePort && !allocates) continue;
    if (!old) port.nodePort ||= byPort.get(port.port);
    const { nodePort } = port;
    if (!nodePort) {
      const full = (why: string) => internalError(`failed to allocate a nodePort: ${why}`);
      port.nodePort = translate(() => ports.next(), PortError, full);
    } else if (!ports.isOwn(nodePort) && !taken.has(nodePort)) {
      const refuse = (why: string) => refusal(change, `spec.ports[${i}].nodePort`, nodePort, why);
      translate(() => ports.take(nodePort), PortError, refuse);
    }
    taken.add(port.nodePort!);
    byPort.set(port.port, port.nodePort!);
  }
}

function allocateHealthCheckPort({ spec, old }: Change, ports: NodePorts): void {
  if (!needsHealthCheck(spec) || (old?.spec && needsHealthCheck(old.spec))) return;
  const wanted = spec.healthCheckNodePort;
  const take = () => {
    if (wanted) ports.take(wanted);
    else spec.healthCheckNodePort = ports.next();
  };
  const what = `failed to allocate requested HealthCheck NodePort ${wanted ?? 0}`;
  translate(take, PortError, (why) => internalError(`${what}: ${why}`));
}

/**
 * Allocates the addresses and ports that a Service leaves to the server.
 * Upstream: `pkg/registry/core/service/storage/alloc.go` and `storage.go`.
 *
 * @throws {ApiError} 422 if it requests some that it cannot have.
 */
export function allocate(service: Stored<Service>, old: Stored<Service> | undefined, context: WriteContext): void {
  const { spec } = service;
  if (!spec) return;
  const change: Change = { service, spec, old, context };
  keepAllocated(change);
  mirrorAddresses(change);
  chooseFamilies(change);
  allocateAddresses(change);
  if (!hasNodePorts(spec)) return;
  const ports = new NodePorts(context.state, old);
  allocateNodePorts(change, ports);
  allocateHealthCheckPort(change, ports);
}

/** Drops fields that only the old type had. Upstream: dropTypeDependentFields. */
export function dropOtherTypesFields({ spec }: Stored<Service>, { spec: before }: Stored<Service>): void {
  if (!spec || !before) return;
  const dropKept = (...fields: readonly (keyof ServiceSpec)[]) => {
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete spec[field];
  };
  if (needsAddress(before) && !needsAddress(spec)) {
    if ((before.clusterIP ?? "") === (spec.clusterIP ?? "") && equal(before.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    dropKept("ipFamilies", "ipFamilyPolicy");
  }
  if (hasNodePorts(before) && !hasNodePorts(spec)) {
    const had = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
    const ports = spec.ports ?? [];
    if (ports.every(({ nodePort }) => !nodePort || had.has(nodePort))) {
      for (const port of ports) delete port.nodePort;
    }
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec)) dropKept("healthCheckNodePort");
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropKept("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  if (isExternal(before) && !isExternal(spec)) dropKept("externalTrafficPolicy");
}

/** Whether a Service is reachable from outside the cluster. */
export function isExternal(spec: ServiceSpec): boolean {
  return hasNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);
}

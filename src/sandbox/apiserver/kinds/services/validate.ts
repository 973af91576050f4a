import type { Service, ServicePort, ServiceSpec } from "../../../../api/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type FieldErrors,
  oneOf,
  parseAddress,
  portOrName,
  qualifiedName,
  validateAddress,
  validateLabels,
  validateRange,
  validateReachable,
  validPort,
} from "../../validation/mod.ts";
import { PROTOCOLS } from "../pods/mod.ts";
import { isExternal, needsHealthCheck } from "./allocation.ts";
import { isHeadless, validateAddressChange, validateAddresses } from "./validate_addresses.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const NOT_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";

/** Every rule for a Service, in upstream's order. Upstream: validateService. */
export function validateService(service: Stored<Service>, errors: FieldErrors, old?: Stored<Service>): void {
  const { metadata: { annotations = {} }, spec = {} } = service;
  if (MODE in annotations && HINTS in annotations && annotations[MODE] !== annotations[HINTS]) {
    const why = `must match annotations[${HINTS}] when both are specified`;
    errors.invalid(`metadata.annotations[${MODE}]`, annotations[MODE], why);
  }
  const { ports = [], type = "" } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.required("spec.ports");
  validateForType(spec, errors);
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    validateServicePort(port, `spec.ports[${i}]`, errors, { isOneOfMany: ports.length > 1, names });
  }
  if (spec.selector) validateLabels(spec.selector, "spec.selector", errors);
  validateAffinity(spec, errors);
  validateAddresses(spec, old?.spec, errors);
  for (const [i, address] of (spec.externalIPs ?? []).entries()) {
    const at = `spec.externalIPs[${i}]`;
    if (validateAddress(address, at, errors, old?.spec?.externalIPs)) validateReachable(address, at, errors);
  }
  if (!type) errors.required("spec.type");
  else oneOf(...TYPES)(type, "spec.type", errors);
  validatePortSet(spec, errors);
  validateSourceRanges(service, errors, old);
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== "LoadBalancer") {
    errors.forbidden("spec.allocateLoadBalancerNodePorts", NOT_LOAD_BALANCER);
  }
  validateLoadBalancerClass(spec, errors);
  validateTraffic(spec, errors);
}

function validateForType(spec: ServiceSpec, errors: FieldErrors): void {
  const { type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = "" } = spec;
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    errors.invalid("spec.clusterIPs[0]", clusterIPs[0], `may not be set to 'None' for ${type} services`);
  }
  if (type !== "ExternalName") return;
  const why = "may not be set for ExternalName services";
  if (clusterIPs.length > 0) errors.forbidden("spec.clusterIPs", why);
  if (ipFamilies.length > 0) errors.forbidden("spec.ipFamilies", why);
  if (ipFamilyPolicy !== undefined) errors.forbidden("spec.ipFamilyPolicy", why);
  const name = externalName.replace(/\.$/, "");
  if (!name) errors.required("spec.externalName");
  else errors.invalidFor("spec.externalName", name, dnsSubdomain(name));
}

function validateServicePort(
  { name, port, protocol, targetPort, appProtocol }: ServicePort,
  at: string,
  errors: FieldErrors,
  { isOneOfMany, names }: { readonly isOneOfMany: boolean; readonly names: Set<string> },
): void {
  if (name) {
    errors.invalidFor(`${at}.name`, name, dnsLabel(name));
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
  } else if (isOneOfMany) errors.required(`${at}.name`);
  validPort(port ?? 0, `${at}.port`, errors);
  if (!protocol) errors.required(`${at}.protocol`);
  else oneOf(...PROTOCOLS)(protocol, `${at}.protocol`, errors);
  portOrName(targetPort ?? 0, `${at}.targetPort`, errors);
  if (appProtocol !== undefined) errors.invalidFor(`${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
}

function validateAffinity(
  { sessionAffinity = "", sessionAffinityConfig: config }: ServiceSpec,
  errors: FieldErrors,
): void {
  const at = "spec.sessionAffinityConfig";
  if (!sessionAffinity) errors.required("spec.sessionAffinity");
  else oneOf("ClientIP", "None")(sessionAffinity, "spec.sessionAffinity", errors);
  if (sessionAffinity === "None" && config) {
    errors.forbidden(at, "must not be set when session affinity is None");
  }
  if (sessionAffinity !== "ClientIP") return;
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined) return errors.required(at, "when session affinity type is ClientIP");
  if (seconds <= 0 || seconds > 86400) {
    errors.invalid(`${at}.clientIP.timeoutSeconds`, seconds, "must be greater than 0 and less than 86400");
  }
}

function validatePortSet({ type, ports = [] }: ServiceSpec, errors: FieldErrors): void {
  if (type === "ClusterIP") {
    for (const [i, { nodePort }] of ports.entries()) {
      if (nodePort) errors.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
  }
  const isRepeated = (i: number, field: "nodePort" | "port") =>
    ports.slice(0, i).some((other) => other[field] === ports[i][field] && other.protocol === ports[i].protocol);
  for (const [i, { nodePort }] of ports.entries()) {
    if (nodePort && isRepeated(i, "nodePort")) errors.duplicate(`spec.ports[${i}].nodePort`, nodePort);
  }
  for (const [i, { protocol, port }] of ports.entries()) {
    if (isRepeated(i, "port")) errors.duplicate(`spec.ports[${i}]`, { protocol, port });
  }
}

function validateSourceRanges(
  { metadata: { annotations = {} }, spec = {} }: Stored<Service>,
  errors: FieldErrors,
  old?: Stored<Service>,
): void {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const isLoadBalancer = spec.type === "LoadBalancer";
  if (ranges.length > 0) {
    const at = "spec.LoadBalancerSourceRanges";
    if (!isLoadBalancer) errors.forbidden(at, NOT_LOAD_BALANCER);
    const before = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [i, range] of ranges.entries()) validateRange(range.trim(), `${at}[${i}]`, errors, before);
    return;
  }
  const text = annotations[SOURCE_RANGES];
  if (text === undefined) return;
  const at = `metadata.annotations[${SOURCE_RANGES}]`;
  if (!isLoadBalancer) errors.forbidden(at, NOT_LOAD_BALANCER);
  if (old?.metadata.annotations?.[SOURCE_RANGES] === text || text.trim() === "") return;
  for (const range of text.trim().split(",")) validateRange(range.trim(), at, errors);
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec, errors: FieldErrors): void {
  if (loadBalancerClass === undefined) return;
  const at = "spec.loadBalancerClass";
  if (type === "LoadBalancer") errors.invalidFor(at, loadBalancerClass, qualifiedName(loadBalancerClass));
  else errors.forbidden(at, NOT_LOAD_BALANCER);
}

const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];

function validateTraffic(spec: ServiceSpec, errors: FieldErrors): void {
  const { externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort, trafficDistribution, type } = spec;
  const external = "spec.externalTrafficPolicy";
  if (!isExternal(spec)) {
    if (externalTrafficPolicy) {
      errors.invalid(external, externalTrafficPolicy, "may only be set for externally-accessible services");
    }
  } else if (!externalTrafficPolicy) errors.required(external);
  else oneOf("Cluster", "Local")(externalTrafficPolicy, external, errors);
  const health = "spec.healthCheckNodePort";
  if (!needsHealthCheck(spec)) {
    if (healthCheckNodePort) {
      const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
      errors.invalid(health, healthCheckNodePort, why);
    }
  } else if (!healthCheckNodePort) errors.required(health);
  else validPort(healthCheckNodePort, health, errors);
  const internalPolicy = "spec.internalTrafficPolicy";
  if (internalTrafficPolicy !== undefined) oneOf("Cluster", "Local")(internalTrafficPolicy, internalPolicy, errors);
  else if (type && TYPES.includes(type) && type !== "ExternalName") errors.required(internalPolicy);
  if (trafficDistribution !== undefined) {
    oneOf(...DISTRIBUTIONS)(trafficDistribution, "spec.trafficDistribution", errors);
  }
}

/** What an update may not change. Upstream: ValidateServiceUpdate. */
export function validateServiceUpdate({ spec = {} }: Service, { spec: old = {} }: Service, errors: FieldErrors): void {
  validateAddressChange(spec, old, errors);
  const isBalanced = spec.type === "LoadBalancer" && old.type === "LoadBalancer";
  if (isBalanced && spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set");
  }
  validateLoadBalancerClass(spec, errors);
  const keepsPort = needsHealthCheck(spec) && needsHealthCheck(old);
  if (keepsPort && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.forbidden("spec.healthCheckNodePort", "field is immutable");
  }
}

type LoadBalancer = NonNullable<NonNullable<Service["status"]>["loadBalancer"]>;

/** Where a load balancer can be reached. Upstream: ValidateLoadBalancerStatus. */
export function validateLoadBalancer(
  { ingress = [] }: LoadBalancer,
  before: LoadBalancer | undefined,
  type: string | undefined,
  errors: FieldErrors,
): void {
  const at = "status.loadBalancer.ingress";
  if (type !== "LoadBalancer" && ingress.length > 0) {
    return errors.forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  const known = (before?.ingress ?? []).flatMap(({ ip }) => ip ? [ip] : []);
  for (const [i, { ip, ipMode, hostname }] of ingress.entries()) {
    const path = `${at}[${i}]`;
    if (ip) validateAddress(ip, `${path}.ip`, errors, known);
    if (ipMode === undefined) {
      if (ip) errors.required(`${path}.ipMode`, "must be specified when `ip` is set");
    } else if (!ip) errors.forbidden(`${path}.ipMode`, "may not be specified when `ip` is not set");
    else oneOf("Proxy", "VIP")(ipMode, `${path}.ipMode`, errors);
    if (!hostname) continue;
    errors.invalidFor(`${path}.hostname`, hostname, dnsSubdomain(hostname));
    if (parseAddress(hostname)) {
      errors.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address");
    }
  }
}

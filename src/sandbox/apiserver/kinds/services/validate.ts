import type { Service, ServicePort, ServiceSpec } from "../../../../api/mod.ts";
import { parseAddress } from "../../../../ip/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import {
  dnsSubdomain,
  type FieldErrors,
  fields,
  oneOf,
  qualifiedName,
  unique,
  validateAddress,
  validateRange,
  validateReachable,
  validPort,
  valuesOf,
} from "../../validation/mod.ts";
import { isExternal, needsHealthCheck } from "./allocation.ts";
import { isHeadless, validateAddressChange, validateAddresses } from "./validate_addresses.ts";

const NOT_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";

const servicePort = fields<ServicePort>({
  name: "label",
  protocol: "!one",
  appProtocol: "qualified",
  port: "*port",
  targetPort: "*portOrName",
}, "core.v1.ServicePort");

const simple = fields<ServiceSpec>({
  selector: "labels",
  sessionAffinity: "!one",
  type: "!one",
  internalTrafficPolicy: "one",
  trafficDistribution: oneOf("PreferClose", "PreferSameZone", "PreferSameNode"),
}, "core.v1.ServiceSpec");

/** All rules for a Service. Upstream: validateService. */
export function validateService({ spec = {} }: Stored<Service>, errors: FieldErrors, old?: Stored<Service>): void {
  const { ports = [], type = "" } = spec;
  simple(spec, "spec", errors);
  validateForType(spec, errors);
  validatePorts(spec, ports, errors);
  validateAffinity(spec, errors);
  validateAddresses(spec, old?.spec, errors);
  for (const [i, address] of (spec.externalIPs ?? []).entries()) {
    const at = `spec.externalIPs[${i}]`;
    if (validateAddress(address, at, errors, old?.spec?.externalIPs)) validateReachable(address, at, errors);
  }
  validateSourceRanges(spec, errors);
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

function validatePorts(spec: ServiceSpec, ports: readonly ServicePort[], errors: FieldErrors): void {
  const { type } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.required("spec.ports");
  for (const [i, one] of ports.entries()) {
    const at = `spec.ports[${i}]`;
    const { name, nodePort } = one;
    servicePort(one, at, errors);
    if (!name && ports.length > 1) errors.required(`${at}.name`);
    if (nodePort && type === "ClusterIP") errors.forbidden(`${at}.nodePort`, "may not be used for ClusterIP");
  }
  unique(ports, "spec.ports", errors, ({ name }) => name, ".name");
  unique(ports, "spec.ports", errors, ({ port, protocol }) => `${port}/${protocol}`);
  unique(ports, "spec.ports", errors, ({ nodePort, protocol }) => nodePort && `${nodePort}/${protocol}`, ".nodePort");
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec, errors: FieldErrors): void {
  const seconds = config?.clientIP?.timeoutSeconds ?? 0;
  if (sessionAffinity !== "ClientIP" || (seconds > 0 && seconds <= 86400)) return;
  const at = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  errors.invalid(at, seconds, "must be greater than 0 and less than 86400");
}

function validateSourceRanges({ type, loadBalancerSourceRanges: ranges = [] }: ServiceSpec, errors: FieldErrors): void {
  const at = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && type !== "LoadBalancer") errors.forbidden(at, NOT_LOAD_BALANCER);
  for (const [i, range] of ranges.entries()) validateRange(range.trim(), `${at}[${i}]`, errors);
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec, errors: FieldErrors): void {
  if (loadBalancerClass === undefined) return;
  const at = "spec.loadBalancerClass";
  if (type === "LoadBalancer") errors.invalidFor(at, loadBalancerClass, qualifiedName(loadBalancerClass));
  else errors.forbidden(at, NOT_LOAD_BALANCER);
}

const externalPolicy = valuesOf("core.v1.ServiceSpec", "externalTrafficPolicy");

/** Defaults and allocation have set what is required. */
function validateTraffic(spec: ServiceSpec, errors: FieldErrors): void {
  const { externalTrafficPolicy, healthCheckNodePort } = spec;
  const external = "spec.externalTrafficPolicy";
  if (isExternal(spec)) externalPolicy(externalTrafficPolicy!, external, errors);
  else if (externalTrafficPolicy) {
    errors.invalid(external, externalTrafficPolicy, "may only be set for services that are reachable from outside");
  }
  const health = "spec.healthCheckNodePort";
  if (needsHealthCheck(spec)) validPort(healthCheckNodePort!, health, errors);
  else if (healthCheckNodePort) {
    errors.invalid(health, healthCheckNodePort, "may only be set for load balancers with externalTrafficPolicy Local");
  }
}

/** What an update cannot change. Upstream: ValidateServiceUpdate. */
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

/** The addresses of a load balancer. Upstream: ValidateLoadBalancerStatus. */
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
    if (parseAddress(hostname)) errors.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address");
  }
}

import type { EndpointSlice, Service, ServicePort } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { invalid } from "../errors.ts";
import type { Stored, Traits, WriteContext } from "../traits.ts";
import { FieldErrors } from "../validation/field_errors.ts";
import { allocateAddress, allocateNodePort, isAddressTaken } from "./service_allocation.ts";

const ALLOCATED_TYPES = ["ClusterIP", "NodePort", "LoadBalancer"];
const NODE_PORT_TYPES = ["NodePort", "LoadBalancer"];

function defaultPort(port: ServicePort): void {
  port.protocol ||= "TCP";
  if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
}

/** Addresses and node ports that the request left to the server. */
function allocate(service: Stored<Service>, { state, served }: WriteContext): void {
  const { spec } = service;
  if (!spec || !ALLOCATED_TYPES.includes(spec.type ?? "")) return;
  const headless = spec.clusterIP === "None";
  if (spec.clusterIP && !headless && isAddressTaken(state, spec.clusterIP, service)) {
    const errors = new FieldErrors();
    const why = `failed to allocate IP ${spec.clusterIP}: provided IP is already allocated`;
    errors.invalid("spec.clusterIPs", [spec.clusterIP], why);
    throw invalid(served, service.metadata.name ?? "", errors.causes);
  }
  spec.clusterIP ||= allocateAddress(state);
  spec.clusterIPs = [spec.clusterIP, ...spec.clusterIPs?.slice(1) ?? []];
  const dual = headless && !spec.selector;
  spec.ipFamilyPolicy ??= dual ? "RequireDualStack" : "SingleStack";
  spec.ipFamilies ??= dual ? ["IPv4", "IPv6"] : ["IPv4"];
  if (!NODE_PORT_TYPES.includes(spec.type ?? "") || spec.allocateLoadBalancerNodePorts === false) return;
  const taken = new Set(spec.ports?.map(({ nodePort }) => nodePort));
  for (const port of spec.ports ?? []) {
    port.nodePort ||= allocateNodePort(state, taken);
    taken.add(port.nodePort);
  }
  if (spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local") {
    spec.healthCheckNodePort ||= allocateNodePort(state, taken);
  }
}

/** Upstream: `pkg/registry/core/service`. */
export const services: Traits<Service> = {
  names: "label",
  answersDeleted: true,
  createsOnUpdate: true,
  defaults({ spec }) {
    if (!spec) return;
    spec.type ||= "ClusterIP";
    spec.sessionAffinity ||= "None";
    if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
    else spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800, ...spec.sessionAffinityConfig?.clientIP } };
    for (const port of spec.ports ?? []) defaultPort(port);
    const outside = NODE_PORT_TYPES.includes(spec.type) || (spec.externalIPs?.length ?? 0) > 0;
    if (outside) spec.externalTrafficPolicy ||= "Cluster";
    if (ALLOCATED_TYPES.includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
    if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  },
  prepareCreate(service, context) {
    service.status = { loadBalancer: {} };
    allocate(service, context);
  },
  prepareUpdate(service, old, context) {
    const { spec } = service;
    if (spec && ALLOCATED_TYPES.includes(spec.type ?? "") && !spec.clusterIP) {
      if (old.spec?.clusterIP) spec.clusterIP = old.spec.clusterIP;
      if (old.spec?.clusterIPs) spec.clusterIPs ??= [...old.spec.clusterIPs];
      if (old.spec?.ipFamilies) spec.ipFamilies ??= [...old.spec.ipFamilies];
      if (old.spec?.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.spec.ipFamilyPolicy;
    }
    for (const port of spec?.ports ?? []) {
      if (!NODE_PORT_TYPES.includes(spec?.type ?? "")) continue;
      port.nodePort ||= old.spec?.ports?.find((other) => other.port === port.port && other.protocol === port.protocol)
        ?.nodePort;
    }
    allocate(service, context);
  },
  validate: validateService,
  validateUpdate({ spec }, old, errors) {
    if (spec?.type === "ExternalName" || old.spec?.type === "ExternalName") return;
    const before = old.spec?.clusterIPs?.[0];
    if (before && spec?.clusterIPs?.[0] !== before) {
      errors.invalid("spec.clusterIPs[0]", spec?.clusterIPs, "may not change once set");
    }
  },
  afterDelete({ metadata }, { state: { store } }) {
    store.remove("endpoints", `${metadata.namespace}/${metadata.name}`);
    for (const { key, object } of store.list("ipaddresses.networking.k8s.io") ?? []) {
      const parent = (object.spec as { parentRef?: { name?: string; namespace?: string } } | undefined)?.parentRef;
      if (parent?.name === metadata.name && parent?.namespace === metadata.namespace) {
        store.remove("ipaddresses.networking.k8s.io", key);
      }
    }
  },
};

function validateService({ spec }: Service, errors: FieldErrors): void {
  if (spec?.type !== "ExternalName" && spec?.clusterIP !== "None" && !spec?.ports?.length) {
    errors.required("spec.ports");
  }
  for (const [i, { port, name }] of (spec?.ports ?? []).entries()) {
    if (port < 1 || port > 65535) {
      errors.invalid(`spec.ports[${i}].port`, port, "must be between 1 and 65535, inclusive");
    }
    if (!name && (spec?.ports?.length ?? 0) > 1) errors.required(`spec.ports[${i}].name`);
  }
}

/** Upstream: `pkg/registry/discovery/endpointslice/strategy.go`. */
export const endpointSlices: Traits<EndpointSlice> = {
  generation: ({ metadata: { labels }, addressType, endpoints, ports }) => ({ labels, addressType, endpoints, ports }),
  defaults({ ports }) {
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  validate({ endpoints }, errors) {
    // Stored as null when there are none.
    const list = endpoints ?? [];
    if (list.length > 1000) errors.tooMany("endpoints", list.length, 1000);
    for (const [i, { addresses = [] }] of list.entries()) {
      if (addresses.length > 100) errors.tooMany(`endpoints[${i}].addresses`, addresses.length, 100);
      if (addresses.length === 0) errors.required(`endpoints[${i}].addresses`, "must contain at least 1 address");
    }
  },
  validateUpdate({ addressType }, old, errors) {
    if (!deepEqual(addressType, old.addressType)) errors.invalid("addressType", addressType, "field is immutable");
  },
};

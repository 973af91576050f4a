/** Rules for Services. Upstream: `pkg/registry/core/service`. */
import type { Service } from "../../../../api/mod.ts";
import type { Stored, Traits } from "../../traits/mod.ts";
import { addressesOf, recordAddresses, releaseAddresses } from "./addresses.ts";
import { allocate, dropOtherTypesFields, isExternal } from "./allocation.ts";
import { validateLoadBalancer, validateService, validateServiceUpdate } from "./validate.ts";

function serviceWarnings({ spec = {} }: Stored<Service>): string[] {
  const { clusterIP, type, externalIPs = [], loadBalancerIP, externalName, trafficDistribution } = spec;
  const isHeadless = type === "ClusterIP" && clusterIP === "None";
  const isAlias = type === "ExternalName";
  const hasExternal = externalIPs.length > 0;
  const cases: ReadonlyArray<readonly [applies: boolean, warning: string]> = [
    [isHeadless && Boolean(loadBalancerIP), "spec.loadBalancerIP is ignored for headless services"],
    [isHeadless && hasExternal, "spec.externalIPs is ignored for headless services"],
    [isHeadless && spec.sessionAffinity !== "None", "spec.SessionAffinity is ignored for headless services"],
    [
      hasExternal && !isHeadless && !isAlias,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [hasExternal && isAlias, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [Boolean(externalName) && !isAlias, 'spec.externalName is ignored when spec.type is not "ExternalName"'],
    [
      trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return cases.flatMap(([applies, warning]) => applies ? [warning] : []);
}

export const services: Traits<Service> = {
  names: "label",
  answersDeleted: true,
  createsOnUpdate: true,
  defaults({ spec = {}, status }) {
    spec.type ||= "ClusterIP";
    spec.sessionAffinity ||= "None";
    if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
    else if (spec.sessionAffinity === "ClientIP") {
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800, ...spec.sessionAffinityConfig?.clientIP } };
    }
    for (const port of spec.ports ?? []) {
      port.protocol ||= "TCP";
      port.targetPort ||= port.port;
    }
    if (isExternal(spec)) spec.externalTrafficPolicy ||= "Cluster";
    if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
    if (spec.type !== "LoadBalancer") return;
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
  },
  prepareCreate(service, context) {
    service.status = { loadBalancer: {} };
    allocate(service, undefined, context);
  },
  prepareUpdate(service, old, context) {
    allocate(service, old, context);
    dropOtherTypesFields(service, old);
    if (service.spec?.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
  },
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatus({ spec, status }, old, errors) {
    validateLoadBalancer(status?.loadBalancer ?? {}, old.status?.loadBalancer, spec?.type, errors);
  },
  warnings: serviceWarnings,
  afterWrite(service, old, { state }) {
    const held = addressesOf(service);
    if (old) releaseAddresses(state, addressesOf(old).filter((address) => !held.includes(address)));
    recordAddresses(state, service);
  },
  afterDelete(service, { state }) {
    state.store.remove("endpoints", `${service.metadata.namespace}/${service.metadata.name}`);
    releaseAddresses(state, addressesOf(service));
  },
};

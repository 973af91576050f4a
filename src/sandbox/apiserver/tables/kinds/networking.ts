import type {
  EndpointSlice,
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  Service,
  ServiceCIDR,
} from "../../../../api/mod.ts";
import {
  AGE,
  classNameColumn,
  type Column,
  firstOf,
  ingressAddresses,
  NAME,
  NONE,
  orNone,
  SELECTOR_COLUMN,
  selectorCell,
  text,
  UNKNOWN,
  UNSET,
} from "../columns/mod.ts";

function externalAddress({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(external.join(","));
    case "LoadBalancer":
      return [...ingressAddresses(status?.loadBalancer?.ingress), ...external].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
  }
  return UNKNOWN;
}

function portsText({ spec }: Service): string {
  const ports = spec?.ports?.map(({ port, nodePort, protocol }) =>
    `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`
  );
  return orNone(ports?.join(","));
}

export const services: readonly Column<Service>[] = [
  NAME,
  text("Type", "spec.type"),
  text("Cluster-IP", "spec.clusterIPs.0", NONE),
  text("External-IP", externalAddress),
  text("Port(s)", portsText),
  AGE,
  SELECTOR_COLUMN,
];

/** How many of a list are shown before the rest is only counted. */
const SHOWN = 3;

function slicePorts({ ports }: EndpointSlice): string {
  const all = (ports ?? []).map(({ port, name }) => port !== undefined ? String(port) : name ?? "*");
  return firstOf(all, SHOWN) || UNSET;
}

function sliceAddresses({ endpoints }: EndpointSlice): string {
  return firstOf((endpoints ?? []).flatMap(({ addresses }) => addresses ?? []), SHOWN) || UNSET;
}

export const endpointSlices: readonly Column<EndpointSlice>[] = [
  NAME,
  text("AddressType", "addressType"),
  text("Ports", slicePorts),
  text("Endpoints", sliceAddresses),
  AGE,
];

/** Rules without a host are not shown, but count towards the ones left out. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const shown = rules.filter(({ host }) => host).slice(0, SHOWN);
  const text = shown.map(({ host }) => host).join(",") || "*";
  const isAll = shown.length < SHOWN || shown.at(-1) === rules.at(-1);
  return isAll ? text : `${text} + ${rules.length - SHOWN} more...`;
}

export const ingresses: readonly Column<Ingress>[] = [
  NAME,
  text("Class", "spec.ingressClassName", NONE),
  text("Hosts", hostsText),
  text("Address", ({ status }) => ingressAddresses(status?.loadBalancer?.ingress).join(",")),
  text("Ports", ({ spec }) => spec?.tls?.length ? "80, 443" : "80"),
  AGE,
];

function parametersText({ spec }: IngressClass): string {
  const { kind, apiGroup, name } = spec?.parameters ?? {};
  return spec?.parameters ? `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}` : NONE;
}

export const ingressClasses: readonly Column<IngressClass>[] = [
  classNameColumn("ingressclass.kubernetes.io/is-default-class"),
  text("Controller", "spec.controller"),
  text("Parameters", parametersText),
  AGE,
];

export const networkPolicies: readonly Column<NetworkPolicy>[] = [
  NAME,
  text("Pod-Selector", ({ spec }) => selectorCell(spec?.podSelector)),
  AGE,
];

export const serviceCidrs: readonly Column<ServiceCIDR>[] = [
  NAME,
  text("CIDRs", ({ spec }) => spec?.cidrs?.join(",")),
  AGE,
];

function parentText({ spec }: IPAddress): string {
  if (!spec?.parentRef) return NONE;
  const { group, resource, namespace, name } = spec.parentRef;
  const kind = `${resource ?? ""}${group ? `.${group}` : ""}`.toLowerCase();
  return [kind, ...namespace ? [namespace] : [], name].join("/");
}

export const ipAddresses: readonly Column<IPAddress>[] = [NAME, text("ParentRef", parentText)];

/** Where Services lead: Endpoints and EndpointSlices. */
import type { Endpoint, EndpointAddress, EndpointPort, Endpoints, EndpointSlice } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  type Check,
  dnsLabel,
  dnsSubdomain,
  each,
  familyOf,
  type FieldErrors,
  fields,
  type Format,
  labelValue,
  oneOf,
  qualifiedName,
  required,
  unchanged,
  validateAddress,
  validateCanonicalAddress,
  validateDomain,
  validateReachable,
  validPort,
} from "../../validation/mod.ts";
import { addressWarnings } from "../shared/mod.ts";
import { PROTOCOLS } from "../pods/mod.ts";

const address: Check<EndpointAddress> = ({ ip = "", hostname, nodeName }, at, errors) => {
  validateAddress(ip, `${at}.ip`, errors);
  if (hostname) errors.invalidFor(`${at}.hostname`, hostname, dnsLabel(hostname));
  if (nodeName !== undefined) errors.invalidFor(`${at}.nodeName`, nodeName, dnsSubdomain(nodeName));
  validateReachable(ip, `${at}.ip`, errors);
};

function validateSubsetPort(
  { name, port, protocol, appProtocol }: EndpointPort,
  at: string,
  errors: FieldErrors,
): void {
  if (name) errors.invalidFor(`${at}.name`, name, dnsLabel(name));
  validPort(port ?? 0, `${at}.port`, errors);
  if (!protocol) errors.required(`${at}.protocol`);
  else oneOf(...PROTOCOLS)(protocol, `${at}.protocol`, errors);
  if (appProtocol !== undefined) errors.invalidFor(`${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
}

type Subset = NonNullable<Endpoints["subsets"]>[number];

const subset: Check<Subset> = ({ addresses = [], notReadyAddresses = [], ports = [] }, at, errors) => {
  if (addresses.length + notReadyAddresses.length === 0) {
    errors.required(at, "must specify `addresses` or `notReadyAddresses`");
  }
  each(address)(addresses, `${at}.addresses`, errors);
  each(address)(notReadyAddresses, `${at}.notReadyAddresses`, errors);
  for (const [i, port] of ports.entries()) {
    const path = `${at}.ports[${i}]`;
    if (ports.length > 1 && !port.name) errors.required(`${path}.name`);
    validateSubsetPort(port, path, errors);
  }
};

export const endpoints: Traits<Endpoints> = {
  createsOnUpdate: true,
  defaults({ subsets }) {
    for (const { ports = [] } of subsets ?? []) for (const port of ports) port.protocol ||= "TCP";
  },
  validate({ subsets = [] }, errors, old) {
    if (!old || !deepEqual(old.subsets, subsets)) each(subset)(subsets ?? [], "subsets", errors);
  },
  warnings({ metadata, subsets }) {
    if (metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
    return (subsets ?? []).flatMap((item, i) =>
      (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
        (item[field] ?? []).flatMap(({ ip }, j) => addressWarnings(ip, `subsets[${i}].${field}[${j}].ip`))
      )
    );
  },
};

const TYPES = ["FQDN", "IPv4", "IPv6"];

function validateEndpointAddress(text: string, at: string, errors: FieldErrors, type: string): void {
  if (type === "FQDN") return validateDomain(text, at, errors);
  const count = errors.count;
  if (type === "IPv4") validateAddress(text, at, errors);
  else if (type === "IPv6") validateCanonicalAddress(text, at, errors);
  else return;
  if (errors.count > count) return;
  // The family is complained about at the list.
  const list = at.slice(0, at.lastIndexOf("["));
  if (familyOf(text) !== type) errors.invalid(list, text, `must be an ${type} address`);
  validateReachable(text, at, errors);
}

/** Names of zones or nodes, each once and at most eight. Returns whether they are not too many. */
function validateHints(
  names: readonly { name: string }[] | undefined,
  at: string,
  errors: FieldErrors,
  format: Format,
): boolean {
  const list = names ?? [];
  if (list.length > 8) {
    errors.tooMany(at, list.length, 8);
    return false;
  }
  for (const [i, { name = "" }] of list.entries()) {
    if (list.findIndex((other) => other.name === name) < i) errors.duplicate(`${at}[${i}].name`, name);
    errors.invalidFor(`${at}[${i}].name`, name, format(name));
  }
  return true;
}

function validateEndpoint(endpoint: Endpoint, at: string, errors: FieldErrors, type: string): void {
  const { nodeName, hostname, hints } = endpoint;
  // An empty list is written as null.
  const addresses = endpoint.addresses ?? [];
  if (addresses.length === 0) errors.required(`${at}.addresses`, "must contain at least 1 address");
  else if (addresses.length > 100) errors.tooMany(`${at}.addresses`, addresses.length, 100);
  for (const [i, text] of addresses.entries()) validateEndpointAddress(text, `${at}.addresses[${i}]`, errors, type);
  if (nodeName !== undefined) errors.invalidFor(`${at}.nodeName`, nodeName, dnsSubdomain(nodeName));
  if (hostname !== undefined) errors.invalidFor(`${at}.hostname`, hostname, dnsLabel(hostname));
  if (hints && validateHints(hints.forZones, `${at}.hints.forZones`, errors, labelValue)) {
    validateHints(hints.forNodes, `${at}.hints.forNodes`, errors, dnsSubdomain);
  }
}

function validateSlicePorts(ports: NonNullable<EndpointSlice["ports"]>, errors: FieldErrors): void {
  if (ports.length > 20000) return errors.tooMany("ports", ports.length, 20000);
  const names = new Set<string>();
  for (const [i, { name = "", protocol, appProtocol }] of ports.entries()) {
    const at = `ports[${i}]`;
    if (name) errors.invalidFor(`${at}.name`, name, dnsLabel(name));
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    if (protocol !== undefined) oneOf(...PROTOCOLS)(protocol, `${at}.protocol`, errors);
    if (appProtocol !== undefined) errors.invalidFor(`${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
  }
}

const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/** Topology of v1beta1 cannot be written through v1. Upstream: dropTopologyOnV1. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
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
  prepareCreate: dropTopology,
  prepareUpdate(slice, old) {
    if (!deepEqual(slice.endpoints, old.endpoints)) dropTopology(slice);
  },
  validate(slice, errors, old) {
    const type = slice.addressType ?? "";
    fields<EndpointSlice>({ addressType: required(oneOf(...TYPES)) })(slice, "", errors);
    validateSlicePorts(slice.ports ?? [], errors);
    // Stored as null when there are none.
    const list = slice.endpoints ?? [];
    if (old && deepEqual(old.endpoints, slice.endpoints)) return;
    if (list.length > 1000) return errors.tooMany("endpoints", list.length, 1000);
    for (const [i, endpoint] of list.entries()) validateEndpoint(endpoint, `endpoints[${i}]`, errors, type);
  },
  validateUpdate({ addressType }, old, errors) {
    unchanged(addressType, old.addressType, "addressType", errors);
  },
  warnings({ metadata, addressType, endpoints }, old) {
    const out = !old && addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
    if (CONTROLLERS.includes(metadata.labels?.[MANAGED_BY] ?? "")) return out;
    for (const [i, { addresses = [] }] of (endpoints ?? []).entries()) {
      for (const [j, text] of addresses.entries()) {
        out.push(...addressWarnings(text, `endpoints[${i}].addresses[${j}]`));
      }
    }
    return out;
  },
};

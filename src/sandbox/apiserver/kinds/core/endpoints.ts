/** The endpoints of Services: Endpoints and EndpointSlices. */
import type { Endpoint, EndpointAddress, EndpointPort, Endpoints, EndpointSlice } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  atMost,
  type Check,
  dnsLabel,
  each,
  familyOf,
  type FieldErrors,
  fields,
  formatted,
  unique,
  validateAddress,
  validateCanonicalAddress,
  validateDomain,
  validateReachable,
} from "../../validation/mod.ts";

const label = formatted(dnsLabel);
const addressFields = fields<EndpointAddress>({ hostname: "label", nodeName: "subdomain" }, "core.v1.EndpointAddress");

const address: Check<EndpointAddress> = (one, at, errors) => {
  addressFields(one, at, errors);
  validateAddress(one.ip ?? "", `${at}.ip`, errors);
  validateReachable(one.ip ?? "", `${at}.ip`, errors);
};

const subsetPort = fields<EndpointPort>(
  { name: "label", port: "*port", protocol: "!one", appProtocol: "qualified" },
  "core.v1.EndpointPort",
);

type Subset = NonNullable<Endpoints["subsets"]>[number];

const subset: Check<Subset> = ({ addresses = [], notReadyAddresses = [], ports = [] }, at, errors) => {
  if (addresses.length + notReadyAddresses.length === 0) {
    errors.required(at, "must specify `addresses` or `notReadyAddresses`");
  }
  each(address)(addresses, `${at}.addresses`, errors);
  each(address)(notReadyAddresses, `${at}.notReadyAddresses`, errors);
  each(subsetPort)(ports, `${at}.ports`, errors);
  if (ports.length < 2) return;
  for (const [i, { name }] of ports.entries()) if (!name) errors.required(`${at}.ports[${i}].name`);
};

export const endpoints: Traits<Endpoints> = {
  createsOnUpdate: true,
  defaults({ subsets }) {
    for (const { ports = [] } of subsets ?? []) for (const port of ports) port.protocol ||= "TCP";
  },
  validate({ subsets = [] }, errors, old) {
    if (!old || !deepEqual(old.subsets, subsets)) each(subset)(subsets ?? [], "subsets", errors);
  },
};

function validateEndpointAddress(text: string, at: string, errors: FieldErrors, type: string): void {
  if (type === "FQDN") return validateDomain(text, at, errors);
  const count = errors.count;
  if (type === "IPv4") validateAddress(text, at, errors);
  else if (type === "IPv6") validateCanonicalAddress(text, at, errors);
  else return;
  if (errors.count > count) return;
  // The wrong family is reported at the list.
  if (familyOf(text) !== type) errors.invalid(at.slice(0, at.lastIndexOf("[")), text, `must be an ${type} address`);
  validateReachable(text, at, errors);
}

type Named = { readonly name: string };

/** At most eight distinct names of zones or nodes. */
const hints = (word: "labelValue" | "subdomain"): Check<Named[]> => (list, at, errors) => {
  if (!atMost(list, 8, at, errors)) return;
  each(fields<Named>({ name: word }))(list, at, errors);
  unique(list, at, errors, ({ name }) => name, ".name");
};

const endpointFields = fields<Endpoint>({
  nodeName: "subdomain",
  hostname: "label",
  hints: fields<NonNullable<Endpoint["hints"]>>({ forZones: hints("labelValue"), forNodes: hints("subdomain") }),
}, "discovery.v1.Endpoint");

function validateEndpoint(endpoint: Endpoint, at: string, errors: FieldErrors, type: string): void {
  endpointFields(endpoint, at, errors);
  // An empty list is written as null.
  const addresses = endpoint.addresses ?? [];
  if (addresses.length === 0) errors.required(`${at}.addresses`, "must contain at least 1 address");
  atMost(addresses, 100, `${at}.addresses`, errors);
  for (const [i, text] of addresses.entries()) validateEndpointAddress(text, `${at}.addresses[${i}]`, errors, type);
}

type SlicePort = NonNullable<EndpointSlice["ports"]>[number];

const slicePort = fields<SlicePort>(
  {
    protocol: "one",
    appProtocol: "qualified",
    name: (name, at, errors) => name === "" ? undefined : label(name, at, errors),
  },
  "discovery.v1.EndpointPort",
);
const slice = fields<EndpointSlice>({ addressType: "!one" }, "discovery.v1.EndpointSlice");

function validateSlicePorts(ports: readonly SlicePort[], errors: FieldErrors): void {
  if (!atMost(ports, 20000, "ports", errors)) return;
  each(slicePort)(ports, "ports", errors);
  unique(ports, "ports", errors, ({ name }) => `:${name ?? ""}`, ".name");
}

/** The topology of v1beta1 cannot be written through v1. Upstream: dropTopologyOnV1. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

/** Upstream: `pkg/registry/discovery/endpointslice/strategy.go`. */
export const endpointSlices: Traits<EndpointSlice> = {
  immutable: ["addressType"],
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
  validate(object, errors, old) {
    const { addressType = "", ports, endpoints } = object;
    slice(object, "", errors);
    validateSlicePorts(ports ?? [], errors);
    // Stored as null when there are none.
    const list = endpoints ?? [];
    if ((old && deepEqual(old.endpoints, endpoints)) || !atMost(list, 1000, "endpoints", errors)) return;
    for (const [i, endpoint] of list.entries()) validateEndpoint(endpoint, `endpoints[${i}]`, errors, addressType);
  },
  warnings: ({ addressType }, old) =>
    !old && addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [],
};

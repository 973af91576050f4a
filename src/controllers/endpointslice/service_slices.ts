import { deepEqual } from "../../base/mod.ts";
import {
  type DiscoveryV1EndpointPort,
  type EndpointSlice,
  newControllerRef,
  type Service,
  SERVICES,
} from "../../api/mod.ts";
import { asLabels, MANAGED_BY_LABEL, SERVICE_NAME_LABEL, sliceNamePrefix } from "../endpoint_slices/mod.ts";
import { canonicalAddress, HEADLESS_LABEL, isHeadless, TRIGGER_TIME_ANNOTATION } from "../service_pods/mod.ts";
import type { AddressType } from "./slice_draft.ts";

/** What the slices of this controller say of who manages them. */
export const MANAGER = "endpointslice-controller.k8s.io";

const RESERVED_LABELS: ReadonlySet<string> = new Set([SERVICE_NAME_LABEL, MANAGED_BY_LABEL, HEADLESS_LABEL]);

/** What a slice is of. */
export interface SliceKind {
  readonly addressType: AddressType;
  readonly ports: DiscoveryV1EndpointPort[];
}

/** A slice without endpoints and name. Upstream: `k8s.io/endpointslice/utils.go` (newEndpointSlice). */
export function newSlice(service: Service, { addressType, ports }: SliceKind): EndpointSlice {
  const { namespace, name = "" } = service.metadata ?? {};
  return {
    metadata: {
      generateName: sliceNamePrefix(name),
      namespace,
      labels: labelsFor(service),
      ownerReferences: [newControllerRef(service, SERVICES)],
    },
    addressType,
    ports,
    endpoints: [],
  };
}

/** The labels of a Service's slices: its own but the reserved ones, and those that name it. */
export function labelsFor(service: Service): Record<string, string> {
  return {
    ...unreserved(service.metadata?.labels),
    ...isHeadless(service) && { [HEADLESS_LABEL]: "" },
    [SERVICE_NAME_LABEL]: service.metadata?.name ?? "",
    [MANAGED_BY_LABEL]: MANAGER,
  };
}

/** Whether a slice's labels are not those of its Service any more; a change of the reserved ones is none. */
export function labelsDiffer(slice: EndpointSlice, service: Service): boolean {
  return !deepEqual(unreserved(asLabels(slice)), unreserved(service.metadata?.labels));
}

function unreserved(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED_LABELS.has(key)));
}

/** Whether a slice is there for this very Service, and not for one that had its name before. */
export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  return (metadata?.ownerReferences ?? []).some(({ uid, kind, apiVersion }) =>
    uid === service.metadata?.uid && kind === "Service" && apiVersion === "v1"
  );
}

/** Whether a slice is what {@link newSlice} makes of no ports, but for its name and annotations. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  return (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0 && isOwnedBy(slice, service) &&
    deepEqual(asLabels(slice), labelsFor(service));
}

/** A slice with the time of the change that it is written for, or without any. */
export function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { [TRIGGER_TIME_ANNOTATION]: _before, ...others } = slice.metadata?.annotations ?? {};
  const annotations = triggerTime ? { ...others, [TRIGGER_TIME_ANNOTATION]: triggerTime } : others;
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

/**
 * The families a Service has slices for: its own, or that of its address; both if it has neither.
 * Upstream: `k8s.io/endpointslice/utils.go` (getAddressTypesForService).
 */
export function addressTypesOf(service: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const families = [...new Set(ipFamilies.filter((family) => family === "IPv4" || family === "IPv6"))];
  if (families.length > 0) return families;
  return isHeadless(service) ? ["IPv4", "IPv6"] : [canonicalAddress(clusterIP)?.family ?? "IPv4"];
}

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

/** The value of the label `managed-by` of this controller's slices. */
export const MANAGER = "endpointslice-controller.k8s.io";

const RESERVED_LABELS: ReadonlySet<string> = new Set([SERVICE_NAME_LABEL, MANAGED_BY_LABEL, HEADLESS_LABEL]);

/** The address family and ports of a slice. */
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

/** The labels of a Service's slices: its own except the reserved ones, and those that name it. */
export function labelsFor(service: Service): Record<string, string> {
  return {
    ...unreserved(service.metadata?.labels),
    ...isHeadless(service) && { [HEADLESS_LABEL]: "" },
    [SERVICE_NAME_LABEL]: service.metadata?.name ?? "",
    [MANAGED_BY_LABEL]: MANAGER,
  };
}

/** Whether a slice's labels differ from its Service's, apart from the reserved ones. */
export function labelsDiffer(slice: EndpointSlice, service: Service): boolean {
  return !deepEqual(unreserved(asLabels(slice)), unreserved(service.metadata?.labels));
}

function unreserved(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !RESERVED_LABELS.has(key)));
}

/** Whether a slice belongs to this Service, and not to an earlier one of its name. */
export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  return (metadata?.ownerReferences ?? []).some(({ uid, kind, apiVersion }) =>
    uid === service.metadata?.uid && kind === "Service" && apiVersion === "v1"
  );
}

/** Whether a slice equals {@link newSlice} without ports, except for its name and annotations. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  return (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0 && isOwnedBy(slice, service) &&
    deepEqual(asLabels(slice), labelsFor(service));
}

/** A slice with the time of the change that caused the write, or without one. */
export function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { [TRIGGER_TIME_ANNOTATION]: _before, ...others } = slice.metadata?.annotations ?? {};
  const annotations = triggerTime ? { ...others, [TRIGGER_TIME_ANNOTATION]: triggerTime } : others;
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

/**
 * The families for which a Service has slices: its own, or that of its address; both if it has neither.
 * Upstream: `k8s.io/endpointslice/utils.go` (getAddressTypesForService).
 */
export function addressTypesOf(service: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const families = [...new Set(ipFamilies.filter((family) => family === "IPv4" || family === "IPv6"))];
  if (families.length > 0) return families;
  return isHeadless(service) ? ["IPv4", "IPv6"] : [canonicalAddress(clusterIP)?.family ?? "IPv4"];
}

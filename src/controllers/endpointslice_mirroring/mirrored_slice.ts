import { deepEqual } from "../../base/mod.ts";
import {
  ENDPOINTS,
  type Endpoints,
  type EndpointSlice,
  LAST_APPLIED_ANNOTATION,
  newControllerRef,
} from "../../api/mod.ts";
import { asLabels, MANAGED_BY_LABEL, SERVICE_NAME_LABEL, sliceNamePrefix } from "../endpoint_slices/mod.ts";
import { TRIGGER_TIME_ANNOTATION } from "../service_pods/mod.ts";
import type { MirrorGroup } from "./desired_mirror.ts";

/** The value of the label `managed-by` of mirrored slices. */
export const MANAGER = "endpointslicemirroring-controller.k8s.io";

/**
 * A slice with the first of a group's endpoints. Upstream: `pkg/controller/endpointslicemirroring/utils.go`
 * (newEndpointSlice).
 *
 * @param options.name The name of the slice that it replaces, whatever that contains by now.
 */
export function mirroredSlice(
  source: Endpoints,
  { addressType, ports, endpoints }: MirrorGroup,
  { name, mostEndpoints }: { readonly name?: string; readonly mostEndpoints: number },
): EndpointSlice {
  const { namespace, name: sourceName = "", labels } = source.metadata ?? {};
  return {
    metadata: {
      namespace,
      ...name ? { name } : { generateName: sliceNamePrefix(sourceName) },
      labels: { ...labels, [SERVICE_NAME_LABEL]: sourceName, [MANAGED_BY_LABEL]: MANAGER },
      annotations: mirroredAnnotations(source),
      ownerReferences: [newControllerRef(source, ENDPOINTS)],
    },
    addressType,
    ports,
    endpoints: [...endpoints.values().take(mostEndpoints)],
  };
}

/** Whether a slice's labels, annotations and owner match the Endpoints that it mirrors. */
export function hasMetadataOf(slice: EndpointSlice, source: Endpoints): boolean {
  const { [SERVICE_NAME_LABEL]: _service, [MANAGED_BY_LABEL]: _manager, ...labels } = asLabels(slice);
  return deepEqual(labels, source.metadata?.labels ?? {}) &&
    deepEqual(slice.metadata?.annotations ?? {}, mirroredAnnotations(source)) && !isOfEarlierSource(slice, source);
}

function mirroredAnnotations({ metadata }: Endpoints): Record<string, string> {
  const { [TRIGGER_TIME_ANNOTATION]: _time, [LAST_APPLIED_ANNOTATION]: _applied, ...annotations } =
    metadata?.annotations ?? {};
  return annotations;
}

/** Whether a slice belongs to earlier Endpoints of this name. */
function isOfEarlierSource({ metadata }: EndpointSlice, source: Endpoints): boolean {
  return (metadata?.ownerReferences ?? []).some(({ kind, name, uid }) =>
    kind === "Endpoints" && name === source.metadata?.name && uid !== source.metadata?.uid
  );
}

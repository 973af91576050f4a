/** Shared by the controllers of EndpointSlices: comparing endpoints and ports, tracking writes, and writing. */
export { endpointKey, isSameEndpoint } from "./endpoint_identity.ts";
export { type OwnSlices, ownSlices } from "./own_slices.ts";
export { inHashOrder, portKey } from "./port_key.ts";
export { asLabels, MANAGED_BY_LABEL, SERVICE_NAME_LABEL, sliceNamePrefix } from "./slice_labels.ts";
export { SliceCounts, type SliceCountsOptions } from "./slice_counts.ts";
export { sliceHandler, type SliceHandlerOptions } from "./slice_handler.ts";
export { deleteSlice, type SliceClient, type SlicePlan, type SliceWriting, writeSlices } from "./slice_writes.ts";
export { decideByRetries, sliceLimiter } from "./retries.ts";
export { WrittenSlices } from "./written_slices.ts";

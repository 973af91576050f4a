/**
 * Shared by the controllers of Endpoints and EndpointSlices: which pods a Service selects, and which of their changes
 * matter.
 */
export { canonicalAddress, type IpAddress, podAddresses } from "./addresses.ts";
export { hostnameFor, isHeadless, isPodInEndpoints, SERVICE_POD_FIELDS, targetPortOf } from "./membership.ts";
export { PodChanges, type PodChangesOptions } from "./affected_services.ts";
export { indexPods, selectedPods } from "./selected_pods.ts";
export { HEADLESS_LABEL, TRIGGER_TIME_ANNOTATION, TriggerTimes } from "./trigger_times.ts";

/** What the controllers of Endpoints and EndpointSlices share: which pods a Service selects, and what it wants to know of them. */
export { canonicalAddress, type IpAddress, podAddresses } from "./addresses.ts";
export { hostnameFor, isHeadless, isPodInEndpoints, SERVICE_POD_FIELDS, targetPortOf } from "./membership.ts";
export { PodChanges, type PodChangesOptions } from "./pod_changes.ts";
export { selectedPods } from "./selected_pods.ts";
export { HEADLESS_LABEL, TRIGGER_TIME_ANNOTATION, TriggerTimes } from "./trigger_times.ts";

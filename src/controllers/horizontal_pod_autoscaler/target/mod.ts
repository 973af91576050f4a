/** What an autoscaler scales: its scale subresource, and its pods. */
export { type TargetScale } from "./scale.ts";
export { Scales, type ScalesOptions, type Target, TargetError } from "./scales.ts";
export { SelectorRegistry } from "./selector_registry.ts";

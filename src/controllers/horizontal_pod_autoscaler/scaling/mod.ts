/** Limits on the metrics' proposals: stabilization, rate limits, and the history that both need. */
export { newHistory, type ScalingHistory } from "./history.ts";
export {
  type NormalizationContext,
  normalize,
  type Normalized,
  rememberScaling,
  type Statement,
} from "./normalization.ts";

/** What may be done of what metrics propose: stabilisation, limits, and the memory that both need. */
export { newHistory, type ScalingHistory } from "./history.ts";
export {
  type NormalizationContext,
  normalize,
  type Normalized,
  rememberScaling,
  type Statement,
} from "./normalization.ts";

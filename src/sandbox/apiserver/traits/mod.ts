/** What distinguishes a kind from plain storage, and the order in which its rules run. */
export {
  type Environment,
  nowText,
  type ServerOptions,
  type Stored,
  type Traits,
  type WriteContext,
} from "./traits.ts";
export { findCreateErrors, findUpdateErrors } from "./validate.ts";
export { decideGates, type FeatureGates, isKnownGate } from "./feature_gates.ts";

/** How many replicas metrics ask for: pure functions. */
export { toInt32 } from "./int32.ts";
export type { StartPeriods } from "./pod_groups.ts";
export { type PodsInput, type PodsProposal, replicasByAverage, replicasByUtilization } from "./replicas_of_pods.ts";
export { replicasByRatio, replicasByShare, sumOfValues, sumToShare } from "./replicas_of_total.ts";
export { type Tolerances, tolerancesOf } from "./tolerances.ts";

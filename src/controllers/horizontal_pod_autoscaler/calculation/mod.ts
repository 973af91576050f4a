/** Pure functions that compute the number of replicas from metrics. */
export { toInt32 } from "./ratios.ts";
export type { StartPeriods } from "./pod_figures.ts";
export { type PodsInput, type PodsProposal, replicasByAverage, replicasByUtilization } from "./replicas_of_pods.ts";
export { replicasByRatio, replicasByShare, sumOfValues, sumToShare } from "./replicas_of_total.ts";
export { type Tolerances, tolerancesOf } from "./ratios.ts";

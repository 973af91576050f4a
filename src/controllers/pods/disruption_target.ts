/** Type of the condition of a pod that somebody means to end for the cluster's sake. */
export const DISRUPTION_TARGET = "DisruptionTarget";

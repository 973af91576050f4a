/** The condition type of a pod that is being ended for the cluster's sake. */
export const DISRUPTION_TARGET = "DisruptionTarget";

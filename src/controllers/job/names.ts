/** Names that upstream's Job controller, kubelets and users agree on. */

/** Finalizer of pods that their Job has not counted yet. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
/** Annotation and label of a pod of an Indexed Job: its index. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
/** Annotation of a pod: how often its index had failed before. */
export const INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
/** Annotation of a pod: how many failures of its index were ignored before. */
export const INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
/** Environment variable with the index. */
export const COMPLETION_INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
/** The value of `spec.managedBy` for our own Jobs. */
export const OWN_MANAGER = "kubernetes.io/job-controller";

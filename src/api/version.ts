/** kubeloop's own version. */
export const VERSION = "0.1.0";

/** The Kubernetes version whose behaviour it has; the managers report it as theirs. */
export const KUBERNETES_VERSION = "v1.36.0";

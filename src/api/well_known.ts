/**
 * Names that upstream's controllers and clients agree on. A wrong letter in one of them makes a switch between
 * upstream's manager and this one restart pods, so they stand in one place.
 */

/** Label that distinguishes the pods of a Deployment's ReplicaSets. */
export const POD_TEMPLATE_HASH_LABEL = "pod-template-hash";
/** Label of pods and revisions of a DaemonSet or StatefulSet. */
export const CONTROLLER_REVISION_HASH_LABEL = "controller-revision-hash";
/** Label of a StatefulSet's ControllerRevisions. */
export const CONTROLLER_HASH_LABEL = "controller.kubernetes.io/hash";
/** Label of a StatefulSet's pods: their own name. */
export const STATEFULSET_POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
/** Label of pods that are numbered: their number. */
export const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";
/** Label of a DaemonSet's pods: which change of the template they were made after. */
export const POD_TEMPLATE_GENERATION_LABEL = "pod-template-generation";
/** Annotation of a DaemonSet with the number of its template's changes, left over from `extensions/v1beta1`. */
export const DEPRECATED_TEMPLATE_GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

/** Annotation with the number of a Deployment's rollout, on the Deployment and on each of its ReplicaSets. */
export const REVISION_ANNOTATION = "deployment.kubernetes.io/revision";
/** Annotation with the earlier numbers of a ReplicaSet that was rolled back to, joined by commas. */
export const REVISION_HISTORY_ANNOTATION = "deployment.kubernetes.io/revision-history";
/** Annotation with the Deployment's `spec.replicas` when the ReplicaSet was last sized. */
export const DESIRED_REPLICAS_ANNOTATION = "deployment.kubernetes.io/desired-replicas";
/** Annotation with the most pods that the Deployment could have when the ReplicaSet was last sized, surge included. */
export const MAX_REPLICAS_ANNOTATION = "deployment.kubernetes.io/max-replicas";
/** Annotation that asks for a rollback, left over from `extensions/v1beta1`. */
export const DEPRECATED_ROLLBACK_TO_ANNOTATION = "deprecated.deployment.rollback.to";
/** Annotation in which `kubectl apply` keeps the object as it was last applied. */
export const LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
/** Annotation of a pod: the lower the number, the sooner a ReplicaSet deletes it when it scales down. */
export const POD_DELETION_COST_ANNOTATION = "controller.kubernetes.io/pod-deletion-cost";
/** Annotation with a text for people. */
export const DESCRIPTION_ANNOTATION = "kubernetes.io/description";

/** Label of a node, and of the pods bound to it, with its zone. */
export const TOPOLOGY_ZONE_LABEL = "topology.kubernetes.io/zone";
/** Label of a node, and of the pods bound to it, with its region. */
export const TOPOLOGY_REGION_LABEL = "topology.kubernetes.io/region";

/** Finalizer of an object whose dependents must be deleted before it. */
export const FOREGROUND_DELETION_FINALIZER = "foregroundDeletion";
/** Finalizer of an object whose dependents must be kept. */
export const ORPHAN_FINALIZER = "orphan";
/** Entry of a namespace's `spec.finalizers` that goes when its contents are gone. */
export const KUBERNETES_FINALIZER = "kubernetes";

/** ConfigMap with the API server's certificate authorities, in every namespace. */
export const ROOT_CA_CONFIG_MAP = "kube-root-ca.crt";
/** Its only key. */
export const ROOT_CA_KEY = "ca.crt";

/** Cause of a refusal to create something in a namespace that is being deleted. */
export const NAMESPACE_TERMINATING_CAUSE = "NamespaceTerminating";
/** Phase of a namespace that is being deleted. */
export const NAMESPACE_TERMINATING = "Terminating";

/** Default namespace of the control plane's own objects. */
export const KUBE_SYSTEM = "kube-system";

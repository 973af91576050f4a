/** Names by which kubectl knows resources besides their plural. */
export const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  "certificatesigningrequests.certificates.k8s.io": ["csr"],
  "configmaps": ["cm"],
  "cronjobs.batch": ["cj"],
  "customresourcedefinitions.apiextensions.k8s.io": ["crd", "crds"],
  "daemonsets.apps": ["ds"],
  "deployments.apps": ["deploy"],
  "endpoints": ["ep"],
  "events": ["ev"],
  "events.events.k8s.io": ["ev"],
  "horizontalpodautoscalers.autoscaling": ["hpa"],
  "ingresses.networking.k8s.io": ["ing"],
  "ipaddresses.networking.k8s.io": ["ip"],
  "componentstatuses": ["cs"],
  "limitranges": ["limits"],
  "namespaces": ["ns"],
  "networkpolicies.networking.k8s.io": ["netpol"],
  "nodes": ["no"],
  "persistentvolumeclaims": ["pvc"],
  "persistentvolumes": ["pv"],
  "poddisruptionbudgets.policy": ["pdb"],
  "pods": ["po"],
  "priorityclasses.scheduling.k8s.io": ["pc"],
  "replicasets.apps": ["rs"],
  "replicationcontrollers": ["rc"],
  "resourcequotas": ["quota"],
  "serviceaccounts": ["sa"],
  "services": ["svc"],
  "statefulsets.apps": ["sts"],
  "storageclasses.storage.k8s.io": ["sc"],
  "volumeattributesclasses.storage.k8s.io": ["vac"],
};

/** Members of `kubectl get all`. */
const ALL = [
  "cronjobs.batch",
  "daemonsets.apps",
  "deployments.apps",
  "horizontalpodautoscalers.autoscaling",
  "jobs.batch",
  "pods",
  "replicasets.apps",
  "replicationcontrollers",
  "services",
  "statefulsets.apps",
];

const EXTENSION_GROUPS = ["admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"];

/** The categories of a built-in resource, given as `plural.group`. */
export function categoriesOf(id: string): readonly string[] {
  if (ALL.includes(id)) return ["all"];
  return EXTENSION_GROUPS.some((group) => id.endsWith(`.${group}`)) ? ["api-extensions"] : [];
}

/** The category `all`, as in `kubectl get all`. */
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

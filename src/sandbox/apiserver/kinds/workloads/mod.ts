/** Rules for the `apps` group. Upstream: `pkg/apis/apps`. */
export { validateSelects, workloadWarnings } from "./common.ts";
export { controllerRevisions, daemonSets } from "./daemon.ts";
export { deployments, replicaSets, replicationControllers } from "./replicated.ts";
export { statefulSets } from "./stateful.ts";

/** A small scheduler for clusters without kube-scheduler. */
export { type Choice, chooseNode } from "./choose_node.ts";
export { ClusterState, type ClusterStateOptions, type Snapshot, type VolumeView } from "./cluster_state.ts";
export { type PodInfo, podInfo } from "./pod_info.ts";
export * from "./scheduler.ts";

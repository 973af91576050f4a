import type { OptionRow } from "./option_rows.ts";

/** Ranges of pods' addresses, which several controllers read. */
export const CLUSTER_RANGES = {
  flag: "cluster-cidr",
  type: "string",
  default: "",
  help: "Range of pod addresses; for dual-stack, an IPv4 and an IPv6 range separated by a comma",
  section: "generic",
  configz: "KubeCloudShared.ClusterCIDR",
} as const satisfies OptionRow;

/** The name under which a cloud knows the cluster. */
export const CLUSTER_NAME = {
  flag: "cluster-name",
  type: "string",
  default: "kubernetes",
  help: "Name of the cluster",
  section: "generic",
  configz: "KubeCloudShared.ClusterName",
} as const satisfies OptionRow;

/** How often controllers look at all nodes. */
export const NODE_MONITOR_PERIOD = {
  flag: "node-monitor-period",
  type: "duration",
  default: "5s",
  help: "How often to check the state of nodes",
  section: "generic",
  configz: "KubeCloudShared.NodeMonitorPeriod",
} as const satisfies OptionRow;

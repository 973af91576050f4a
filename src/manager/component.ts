import type { ControllerRow, Host } from "../controllers/mod.ts";
import type { FlagDefinition } from "./flags.ts";

/**
 * A part of the configuration document: a flag by its name, with dashes, or of several (`--a|b`) the first that is not 0; anything
 * else is itself.
 */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };

/** What sets one program that runs controllers apart from another. */
export interface Component {
  /** What it is called by others: in its User-Agent, as author of its events, in metrics, on its pages and its certificate. */
  readonly name: Host;
  /** Whether it has a cloud provider. Without one it knows the controllers that ask a cloud by their names, and skips them. */
  readonly hasCloud: boolean;
  /** The controllers that its `--controllers` knows. */
  readonly controllers: readonly ControllerRow[];
  /** The flags that no controller brings along. */
  readonly flags: readonly FlagDefinition[];
  /** In which order upstream's `--help` has its sections. Others come last. */
  readonly sections: readonly string[];
  /** The document of `/configz`. */
  readonly configuration: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    /** What no controller brings along. */
    readonly own: Readonly<Record<string, Template>>;
    /** Options that controllers share, by their places. */
    readonly shared: Readonly<Record<string, Template>>;
    /** In which order upstream has what it holds. Others come last. */
    readonly sections: readonly string[];
    /** What controllers bring along and upstream does not show. */
    readonly hidden?: readonly string[];
  };
}

/** What the configuration of every program that runs controllers has. */
export const SHARED_CONFIGURATION: Component["configuration"]["own"] = {
  "Generic": {
    "Port": 0,
    "Address": "0.0.0.0",
    "MinResyncPeriod": "--min-resync-period",
    "ClientConnection": {
      "kubeconfig": "--kubeconfig",
      "acceptContentTypes": "",
      "contentType": "--kube-api-content-type",
      "qps": "--kube-api-qps",
      "burst": "--kube-api-burst",
    },
    "ControllerStartInterval": "--controller-start-interval",
    "LeaderElection": {
      "leaderElect": "--leader-elect",
      "leaseDuration": "--leader-elect-lease-duration",
      "renewDeadline": "--leader-elect-renew-deadline",
      "retryPeriod": "--leader-elect-retry-period",
      "resourceLock": "--leader-elect-resource-lock",
      "resourceName": "--leader-elect-resource-name",
      "resourceNamespace": "--leader-elect-resource-namespace",
    },
    "Controllers": "--controllers",
    "Debugging": { "enableProfiling": "--profiling", "enableContentionProfiling": "--contention-profiling" },
    "LeaderMigrationEnabled": "--enable-leader-migration",
    "LeaderMigration": { "leaderName": "", "resourceLock": "", "controllerLeaders": null },
  },
  "KubeCloudShared": {
    "CloudProvider": { "Name": "--cloud-provider", "CloudConfigFile": "--cloud-config" },
    "ExternalCloudVolumePlugin": "--external-cloud-volume-plugin",
    "UseServiceAccountCredentials": "--use-service-account-credentials",
    "AllowUntaggedCloud": "--allow-untagged-cloud",
    "RouteReconciliationPeriod": "--route-reconciliation-period",
    "NodeMonitorPeriod": "--node-monitor-period",
    "ClusterName": "--cluster-name",
    "ClusterCIDR": null,
    "AllocateNodeCIDRs": null,
    "CIDRAllocatorType": null,
    "ConfigureCloudRoutes": "--configure-cloud-routes",
    "NodeSyncPeriod": "--node-sync-period",
  },
};

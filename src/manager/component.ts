import type { ControllerRow, Host } from "../controllers/mod.ts";
import type { FlagDefinition } from "./flags.ts";

/**
 * Part of the configuration document: `--NAME` stands for a flag's value, `--a|b` for the first of several that is not
 * 0; anything else stands for itself.
 */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };

/** What distinguishes the programs that run controllers. */
export interface Component {
  /** Its name in its User-Agent, events, metrics, pages and certificate. */
  readonly name: Host;
  /**
   * Whether it has a cloud provider. Without one, it accepts the names of controllers that call a cloud, and skips
   * them.
   */
  readonly hasCloud: boolean;
  /** The controllers that its `--controllers` knows. */
  readonly controllers: readonly ControllerRow[];
  /** Its flags besides those of its controllers. */
  readonly flags: readonly FlagDefinition[];
  /** The order of sections in upstream's `--help`. Others come last. */
  readonly sections: readonly string[];
  /** The document of `/configz`. */
  readonly configuration: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    /** The parts that do not come from a controller. */
    readonly own: Readonly<Record<string, Template>>;
    /** Options that controllers share, by path. */
    readonly shared: Readonly<Record<string, Template>>;
    /** The order of upstream's document. Others come last. */
    readonly sections: readonly string[];
    /** Controllers' options that upstream does not show. */
    readonly hidden?: readonly string[];
  };
}

/** The configuration that all programs that run controllers share. */
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

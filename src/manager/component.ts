import { type ControllerRow, type Host, KNOWN_CONTROLLERS } from "../controllers/mod.ts";
import type { FlagDefinition } from "./flags.ts";
import { processFlags } from "./process_flags.ts";

/** A part of the configuration document: a flag by its name, with dashes; anything else is itself. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };

/** What sets one program that runs controllers apart from another. */
export interface Component {
  /** What it is called by others: in its User-Agent, as author of its events, in metrics, on its pages and its certificate. */
  readonly name: Host;
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
  };
}

/** What runs the controllers of Kubernetes itself. */
export const KUBE_CONTROLLER_MANAGER: Component = {
  name: "kube-controller-manager",
  controllers: KNOWN_CONTROLLERS.filter(({ hosts }) => hosts.includes("kube-controller-manager")),
  flags: processFlags({ lease: "kube-controller-manager", securePort: 10257 }),
  sections: [
    "debugging",
    "leader-migration",
    "generic",
    "service-lb-controller",
    "secure serving",
    "authentication",
    "authorization",
    "persistentvolume-attach-detach-controller",
    "certificatesigningrequest-signing-controller",
    "deployment-controller",
    "device-taint-eviction-controller",
    "resourceclaim-controller",
    "statefulset-controller",
    "daemonset-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "ephemeral-volume-controller",
    "garbage-collector-controller",
    "horizontal-pod-autoscaler-controller",
    "job-controller",
    "cronjob-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "namespace-controller",
    "node-ipam-controller",
    "node-lifecycle-controller",
    "persistentvolume-binder-controller",
    "pod-garbage-collector-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "resourcequota-controller",
    "serviceaccount-controller",
    "ttl-after-finished-controller",
    "validatingadmissionpolicy-status-controller",
    "metrics",
    "logs",
    "misc",
    "global",
    "kubeloop",
  ],
  configuration: {
    group: "kubecontrollermanager.config.k8s.io",
    version: "v1alpha1",
    kind: "KubeControllerManagerConfiguration",
    own: {
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
      "DeprecatedController": {},
    },
    shared: { "SAController.RootCAFile": "--root-ca-file" },
    sections: [
      "Generic",
      "KubeCloudShared",
      "AttachDetachController",
      "CSRSigningController",
      "DaemonSetController",
      "DeploymentController",
      "StatefulSetController",
      "DeprecatedController",
      "EndpointController",
      "EndpointSliceController",
      "EndpointSliceMirroringController",
      "EphemeralVolumeController",
      "GarbageCollectorController",
      "HPAController",
      "JobController",
      "CronJobController",
      "LegacySATokenCleaner",
      "NamespaceController",
      "NodeIPAMController",
      "NodeLifecycleController",
      "PersistentVolumeBinderController",
      "PodGCController",
      "ReplicaSetController",
      "ReplicationController",
      "ResourceQuotaController",
      "SAController",
      "ServiceController",
      "TTLAfterFinishedController",
      "ValidatingAdmissionPolicyStatusController",
      "DeviceTaintEvictionController",
      "ResourceClaimController",
    ],
  },
};

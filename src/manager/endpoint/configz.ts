import type { Flags } from "../flags.ts";
import { formatDuration } from "../../api/mod.ts";

/** A flag by its name, with dashes; anything else is itself. */
type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };

/** What a signer is configured with. */
const signer = (flag: string) => ({
  CertFile: `--cluster-signing-${flag}-cert-file`,
  KeyFile: `--cluster-signing-${flag}-key-file`,
});

/**
 * The configuration document: each value a constant, or the name of the flag that sets it.
 * Upstream: `pkg/controller/apis/config` in version kubecontrollermanager.config.k8s.io/v1alpha1.
 */
const TEMPLATE: Template = {
  kind: "KubeControllerManagerConfiguration",
  apiVersion: "kubecontrollermanager.config.k8s.io/v1alpha1",
  Generic: {
    Port: 0,
    Address: "0.0.0.0",
    MinResyncPeriod: "--min-resync-period",
    ClientConnection: {
      kubeconfig: "--kubeconfig",
      acceptContentTypes: "",
      contentType: "--kube-api-content-type",
      qps: "--kube-api-qps",
      burst: "--kube-api-burst",
    },
    ControllerStartInterval: "--controller-start-interval",
    LeaderElection: {
      leaderElect: "--leader-elect",
      leaseDuration: "--leader-elect-lease-duration",
      renewDeadline: "--leader-elect-renew-deadline",
      retryPeriod: "--leader-elect-retry-period",
      resourceLock: "--leader-elect-resource-lock",
      resourceName: "--leader-elect-resource-name",
      resourceNamespace: "--leader-elect-resource-namespace",
    },
    Controllers: "--controllers",
    Debugging: { enableProfiling: "--profiling", enableContentionProfiling: "--contention-profiling" },
    LeaderMigrationEnabled: "--enable-leader-migration",
    LeaderMigration: { leaderName: "", resourceLock: "", controllerLeaders: null },
  },
  KubeCloudShared: {
    CloudProvider: { Name: "--cloud-provider", CloudConfigFile: "--cloud-config" },
    ExternalCloudVolumePlugin: "--external-cloud-volume-plugin",
    UseServiceAccountCredentials: "--use-service-account-credentials",
    AllowUntaggedCloud: "--allow-untagged-cloud",
    RouteReconciliationPeriod: "--route-reconciliation-period",
    NodeMonitorPeriod: "--node-monitor-period",
    ClusterName: "--cluster-name",
    ClusterCIDR: "--cluster-cidr",
    AllocateNodeCIDRs: "--allocate-node-cidrs",
    CIDRAllocatorType: "--cidr-allocator-type",
    ConfigureCloudRoutes: "--configure-cloud-routes",
    NodeSyncPeriod: "--node-sync-period",
  },
  AttachDetachController: {
    DisableAttachDetachReconcilerSync: "--disable-attach-detach-reconcile-sync",
    ReconcilerSyncLoopPeriod: "--attach-detach-reconcile-sync-period",
    disableForceDetachOnTimeout: "--disable-force-detach-on-timeout",
  },
  CSRSigningController: {
    ClusterSigningCertFile: "--cluster-signing-cert-file",
    ClusterSigningKeyFile: "--cluster-signing-key-file",
    KubeletServingSignerConfiguration: signer("kubelet-serving"),
    KubeletClientSignerConfiguration: signer("kubelet-client"),
    KubeAPIServerClientSignerConfiguration: signer("kube-apiserver-client"),
    LegacyUnknownSignerConfiguration: signer("legacy-unknown"),
    ClusterSigningDuration: "--cluster-signing-duration",
  },
  DaemonSetController: { ConcurrentDaemonSetSyncs: "--concurrent-daemonset-syncs" },
  DeploymentController: { ConcurrentDeploymentSyncs: "--concurrent-deployment-syncs" },
  StatefulSetController: { ConcurrentStatefulSetSyncs: "--concurrent-statefulset-syncs" },
  DeprecatedController: {},
  EndpointController: {
    ConcurrentEndpointSyncs: "--concurrent-endpoint-syncs",
    EndpointUpdatesBatchPeriod: "--endpoint-updates-batch-period",
  },
  EndpointSliceController: {
    ConcurrentServiceEndpointSyncs: "--concurrent-service-endpoint-syncs",
    MaxEndpointsPerSlice: "--max-endpoints-per-slice",
    EndpointUpdatesBatchPeriod: "--endpointslice-updates-batch-period",
  },
  EndpointSliceMirroringController: {
    MirroringConcurrentServiceEndpointSyncs: "--mirroring-concurrent-service-endpoint-syncs",
    MirroringMaxEndpointsPerSubset: "--mirroring-max-endpoints-per-subset",
    MirroringEndpointUpdatesBatchPeriod: "--mirroring-endpointslice-updates-batch-period",
  },
  EphemeralVolumeController: { ConcurrentEphemeralVolumeSyncs: "--concurrent-ephemeralvolume-syncs" },
  GarbageCollectorController: {
    EnableGarbageCollector: "--enable-garbage-collector",
    ConcurrentGCSyncs: "--concurrent-gc-syncs",
    GCIgnoredResources: [{ Group: "", Resource: "events" }, { Group: "events.k8s.io", Resource: "events" }],
  },
  HPAController: {
    ConcurrentHorizontalPodAutoscalerSyncs: "--concurrent-horizontal-pod-autoscaler-syncs",
    HorizontalPodAutoscalerSyncPeriod: "--horizontal-pod-autoscaler-sync-period",
    HorizontalPodAutoscalerDownscaleStabilizationWindow: "--horizontal-pod-autoscaler-downscale-stabilization",
    HorizontalPodAutoscalerTolerance: "--horizontal-pod-autoscaler-tolerance",
    HorizontalPodAutoscalerCPUInitializationPeriod: "--horizontal-pod-autoscaler-cpu-initialization-period",
    HorizontalPodAutoscalerInitialReadinessDelay: "--horizontal-pod-autoscaler-initial-readiness-delay",
  },
  JobController: { ConcurrentJobSyncs: "--concurrent-job-syncs" },
  CronJobController: { ConcurrentCronJobSyncs: "--concurrent-cron-job-syncs" },
  LegacySATokenCleaner: { CleanUpPeriod: "--legacy-service-account-token-clean-up-period" },
  NamespaceController: {
    NamespaceSyncPeriod: "--namespace-sync-period",
    ConcurrentNamespaceSyncs: "--concurrent-namespace-syncs",
  },
  NodeIPAMController: {
    ServiceCIDR: "--service-cluster-ip-range",
    SecondaryServiceCIDR: "",
    NodeCIDRMaskSize: "--node-cidr-mask-size",
    NodeCIDRMaskSizeIPv4: "--node-cidr-mask-size-ipv4",
    NodeCIDRMaskSizeIPv6: "--node-cidr-mask-size-ipv6",
  },
  NodeLifecycleController: {
    NodeEvictionRate: "--node-eviction-rate",
    SecondaryNodeEvictionRate: "--secondary-node-eviction-rate",
    NodeStartupGracePeriod: "--node-startup-grace-period",
    NodeMonitorGracePeriod: "--node-monitor-grace-period",
    PodEvictionTimeout: "0s",
    LargeClusterSizeThreshold: "--large-cluster-size-threshold",
    UnhealthyZoneThreshold: "--unhealthy-zone-threshold",
  },
  PersistentVolumeBinderController: {
    PVClaimBinderSyncPeriod: "--pvclaimbinder-sync-period",
    VolumeConfiguration: {
      EnableHostPathProvisioning: "--enable-hostpath-provisioner",
      EnableDynamicProvisioning: "--enable-dynamic-provisioning",
      PersistentVolumeRecyclerConfiguration: {
        MaximumRetry: 3,
        MinimumTimeoutNFS: "--pv-recycler-minimum-timeout-nfs",
        PodTemplateFilePathNFS: "--pv-recycler-pod-template-filepath-nfs",
        IncrementTimeoutNFS: "--pv-recycler-increment-timeout-nfs",
        PodTemplateFilePathHostPath: "--pv-recycler-pod-template-filepath-hostpath",
        MinimumTimeoutHostPath: "--pv-recycler-minimum-timeout-hostpath",
        IncrementTimeoutHostPath: "--pv-recycler-timeout-increment-hostpath",
      },
      FlexVolumePluginDir: "--flex-volume-plugin-dir",
    },
  },
  PodGCController: { TerminatedPodGCThreshold: "--terminated-pod-gc-threshold" },
  ReplicaSetController: { ConcurrentRSSyncs: "--concurrent-replicaset-syncs" },
  ReplicationController: { ConcurrentRCSyncs: "--concurrent-rc-syncs" },
  ResourceQuotaController: {
    ResourceQuotaSyncPeriod: "--resource-quota-sync-period",
    ConcurrentResourceQuotaSyncs: "--concurrent-resource-quota-syncs",
  },
  SAController: {
    ServiceAccountKeyFile: "--service-account-private-key-file",
    ConcurrentSATokenSyncs: "--concurrent-serviceaccount-token-syncs",
    RootCAFile: "--root-ca-file",
  },
  ServiceController: { ConcurrentServiceSyncs: "--concurrent-service-syncs" },
  TTLAfterFinishedController: { ConcurrentTTLSyncs: "--concurrent-ttl-after-finished-syncs" },
  ValidatingAdmissionPolicyStatusController: {
    ConcurrentPolicySyncs: "--concurrent-validating-admission-policy-status-syncs",
  },
  DeviceTaintEvictionController: { ConcurrentSyncs: "--concurrent-device-taint-eviction-syncs" },
  ResourceClaimController: { ConcurrentSyncs: "--concurrent-resourceclaim-syncs" },
};

/**
 * What `/configz` answers: the configuration that the flags come to.
 *
 * @param controllers The entries of `--controllers` with canonical names.
 */
export function configuration(flags: Flags, controllers: readonly string[]): unknown {
  const filled = (template: Template): unknown => {
    if (Array.isArray(template)) return template.map(filled);
    if (typeof template === "object" && template !== null) {
      return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value)]));
    }
    if (template === "--controllers") return controllers;
    return typeof template === "string" && template.startsWith("--") ? valueOf(flags, template.slice(2)) : template;
  };
  return { "kubecontrollermanager.config.k8s.io": filled(TEMPLATE) };
}

function valueOf(flags: Flags, name: string): unknown {
  switch (flags.typeOf(name)) {
    case "bool":
      return flags.bool(name);
    case "int":
    case "int32":
    case "float":
    case "float32":
      return flags.number(name);
    case "duration":
      return formatDuration(flags.durationMs(name));
    default:
      return flags.string(name);
  }
}

import type { ControllerOptions } from "../controllers/mod.ts";
import { type FeatureGates, isGateOn } from "./feature_gates.ts";
import type { Flags } from "./flags.ts";

/** Reads what the flags and feature gates say to controllers. */
export function controllerOptions(flags: Flags, gates: FeatureGates): Omit<ControllerOptions, "rootCaText"> {
  return {
    concurrentDeploymentSyncs: flags.number("concurrent-deployment-syncs"),
    concurrentReplicaSetSyncs: flags.number("concurrent-replicaset-syncs"),
    concurrentReplicationControllerSyncs: flags.number("concurrent-rc-syncs"),
    concurrentStatefulSetSyncs: flags.number("concurrent-statefulset-syncs"),
    concurrentDaemonSetSyncs: flags.number("concurrent-daemonset-syncs"),
    statefulSetMaxUnavailable: isGateOn(gates, "MaxUnavailableStatefulSet"),
    concurrentJobSyncs: flags.number("concurrent-job-syncs"),
    concurrentCronJobSyncs: flags.number("concurrent-cron-job-syncs"),
    concurrentTtlAfterFinishedSyncs: flags.number("concurrent-ttl-after-finished-syncs"),
    concurrentNamespaceSyncs: flags.number("concurrent-namespace-syncs"),
    terminatedPodGcThreshold: flags.number("terminated-pod-gc-threshold"),
    concurrentGcSyncs: flags.number("concurrent-gc-syncs"),
    enableGarbageCollector: flags.bool("enable-garbage-collector"),
    concurrentResourceQuotaSyncs: flags.number("concurrent-resource-quota-syncs"),
    resourceQuotaSyncPeriodMs: flags.durationMs("resource-quota-sync-period"),
    concurrentHorizontalPodAutoscalerSyncs: flags.number("concurrent-horizontal-pod-autoscaler-syncs"),
    horizontalPodAutoscalerSyncPeriodMs: flags.durationMs("horizontal-pod-autoscaler-sync-period"),
    horizontalPodAutoscaler: {
      downscaleStabilizationMs: flags.durationMs("horizontal-pod-autoscaler-downscale-stabilization"),
      tolerance: flags.number("horizontal-pod-autoscaler-tolerance"),
      cpuInitializationMs: flags.durationMs("horizontal-pod-autoscaler-cpu-initialization-period"),
      initialReadinessMs: flags.durationMs("horizontal-pod-autoscaler-initial-readiness-delay"),
      scalesToZero: isGateOn(gates, "HPAScaleToZero"),
    },
    schedulesGangs: isGateOn(gates, "WorkloadWithJob"),
    disabledGates: new Set(gates.all.filter(({ enabled }) => !enabled).map(({ name }) => name)),
    namespaceSyncPeriodMs: flags.durationMs("namespace-sync-period"),
  };
}

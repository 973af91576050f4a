import { defineController, notNumber, notPositive } from "../running/mod.ts";
import { buildAutoscaler, CLIENT_NAME, NAME } from "./controller.ts";

/** Scales targets to the replicas that their metrics call for. Upstream: `pkg/controller/podautoscaler`. */
export const HORIZONTAL_POD_AUTOSCALER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["horizontalpodautoscaling"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["horizontalpodautoscaler"],
  options: {
    workers: {
      flag: "concurrent-horizontal-pod-autoscaler-syncs",
      type: "int32",
      default: 5,
      help: "Autoscalers to process at the same time",
      configz: "HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
      objection: notPositive,
    },
    syncPeriodMs: {
      flag: "horizontal-pod-autoscaler-sync-period",
      type: "duration",
      default: "15s",
      help: "How often to compare metrics with their targets",
      configz: "HPAController.HorizontalPodAutoscalerSyncPeriod",
      objection: notPositive,
    },
    downscaleStabilizationMs: {
      flag: "horizontal-pod-autoscaler-downscale-stabilization",
      type: "duration",
      default: "5m0s",
      help: "How long a recommendation keeps the replicas from going below it",
      configz: "HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
    },
    tolerance: {
      flag: "horizontal-pod-autoscaler-tolerance",
      type: "float",
      default: 0.1,
      help: "How far from 1 the ratio of a metric to its target must be before anything is scaled",
      configz: "HPAController.HorizontalPodAutoscalerTolerance",
      objection: notNumber,
    },
    cpuInitializationMs: {
      flag: "horizontal-pod-autoscaler-cpu-initialization-period",
      type: "duration",
      default: "5m0s",
      help: "How long after its start a pod's CPU usage may be ignored",
      configz: "HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
    },
    initialReadinessMs: {
      flag: "horizontal-pod-autoscaler-initial-readiness-delay",
      type: "duration",
      default: "30s",
      help: "How long after its start a pod's changes of readiness count as its first",
      configz: "HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
    },
  },
  metrics: [
    "horizontal_pod_autoscaler_controller_desired_replicas",
    "horizontal_pod_autoscaler_controller_metric_computation_duration_seconds",
    "horizontal_pod_autoscaler_controller_metric_computation_total",
    "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
    "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds",
    "horizontal_pod_autoscaler_controller_reconciliations_total",
  ],
  build: buildAutoscaler,
});

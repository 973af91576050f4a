/** Clusters for tests of your own controllers, or of the built-in ones. */
export type { EventuallyOptions, TestCluster, TestClusterOptions } from "./test_cluster.ts";
export type { Balancer, CloudFault, Machine, MachineSettings, MachineState, SimulatedCloud } from "../cloud/mod.ts";
export type { CrashMoment, CrashOptions, NodeOptions } from "../embedded/mod.ts";
export type {
  ApiServer,
  ExternalMetric,
  Fault,
  FaultHandle,
  MetricsApi,
  NodeMachines,
  NodeSettings,
  NodeSimulator,
  NodeSimulatorOptions,
  NodeUsage,
  ObjectMetric,
  PodUsage,
} from "../sandbox/mod.ts";
export type { History } from "./history.ts";
export { startTestCluster, withTestCluster } from "./start_test_cluster.ts";
/** Functions that make pods, Deployments and so on from the fields that matter in a test. */
export * as objects from "./objects.ts";
export type { Measured, PodTimes, UsageAmounts } from "../sandbox/mod.ts";
export * from "./cloud/mod.ts";

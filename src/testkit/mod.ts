/** Clusters for tests: of one's own controllers, or of what is built in. */
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
/** Makers of pods, Deployments and the like from what matters about them in a test. */
export * as objects from "./objects.ts";
export type { Measured, PodTimes, UsageAmounts } from "../sandbox/mod.ts";
export * from "./cloud/mod.ts";

/** Clusters for tests: of one's own controllers, or of what is built in. */
export type { EventuallyOptions, TestCluster, TestClusterOptions } from "./test_cluster.ts";
export type { CrashMoment, CrashOptions } from "../embedded/mod.ts";
export type { History } from "./history.ts";
export { startTestCluster, withTestCluster } from "./start_test_cluster.ts";
export * as objects from "./objects.ts";

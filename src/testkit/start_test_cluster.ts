import type { TestCluster, TestClusterOptions } from "./test_cluster.ts";

/** How many entries of the history a failed test shows. */
const DUMPED = 200;

/**
 * Starts a cluster for a test.
 *
 * @example A progress deadline of ten minutes, in milliseconds
 * ```ts
 * import { DEPLOYMENTS } from "kubeloop/api";
 * import { objects, startTestCluster } from "kubeloop/testing";
 * import { assert } from "@std/assert";
 *
 * await using cluster = await startTestCluster({ nodes: 0 });
 * await cluster.client.create(DEPLOYMENTS, objects.deployment("web", { metadata: { namespace: "default" } }));
 * await cluster.advance(10 * 60_000 + 1000);
 * const { status } = await cluster.client.get(DEPLOYMENTS, { namespace: "default", name: "web" });
 * assert(status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded"));
 * ```
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  // A program that runs controllers in production must not load the API server for tests.
  const { TestCluster } = await import("./test_cluster.ts");
  const cluster = new TestCluster(options);
  await cluster.start(options.manifests);
  return cluster;
}

/**
 * Runs a test in its own cluster. If it fails, the error contains the cluster's history.
 *
 * @example
 * ```ts
 * import { PODS, REPLICASETS } from "kubeloop/api";
 * import { objects, withTestCluster } from "kubeloop/testing";
 *
 * await withTestCluster({}, async (cluster) => {
 *   await cluster.namespace("shop");
 *   await cluster.client.create(REPLICASETS, objects.replicaSet("web", { metadata: { namespace: "shop" }, replicas: 2 }));
 *   await cluster.eventually("two pods run", async () => {
 *     const { items } = await cluster.client.list(PODS, { namespace: "shop" });
 *     return items.filter(({ status }) => status?.phase === "Running").length === 2;
 *   });
 * });
 * ```
 */
export async function withTestCluster<T>(
  options: TestClusterOptions,
  test: (cluster: TestCluster) => Promise<T>,
): Promise<T> {
  await using cluster = await startTestCluster(options);
  try {
    return await test(cluster);
  } catch (error) {
    if (error instanceof Error) error.message += `\n\nIn the cluster:\n${cluster.history.dump({ last: DUMPED })}`;
    throw error;
  }
}

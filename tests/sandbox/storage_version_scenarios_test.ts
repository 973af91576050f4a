/** The scenarios of storage versions on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { MIGRATION_SCENARIOS, STORAGE_VERSION_SCENARIOS } from "../scenarios/storage_version_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const flags = ["--feature-gates=StorageVersionAPI=true,StorageVersionMigrator=true"];

for (const { name, run } of [...STORAGE_VERSION_SCENARIOS, ...MIGRATION_SCENARIOS]) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0, flags }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}

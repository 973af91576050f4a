/** What becomes of StorageVersions and migrations under upstream's manager and under ours, on a real API server. */
import { MIGRATION_SCENARIOS, STORAGE_VERSION_SCENARIOS } from "../scenarios/storage_version_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATES = "--feature-gates=StorageVersionAPI=true,StorageVersionMigrator=true";
const APISERVER_FLAGS = [
  GATES,
  "--runtime-config=internal.apiserver.k8s.io/v1alpha1=true,storagemigration.k8s.io/v1beta1=true",
];

parityTest("Storage versions are cleaned up and migrated to under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags: APISERVER_FLAGS });
  await assertParity(cluster, {
    area: "storage_versions",
    scenarios: [...STORAGE_VERSION_SCENARIOS, ...MIGRATION_SCENARIOS],
    flags: [GATES],
    parallel: 12,
  });
});

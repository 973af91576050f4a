/** What comes of ReplicationControllers under both managers, and what rights they and the controllers of sets need. */
import { assertFalse } from "@std/assert";
import { REPLICATIONCONTROLLERS } from "../../src/api/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { DAEMONSET_SCENARIOS } from "../scenarios/daemonset_scenarios.ts";
import { REPLICATION_FAILURES } from "../scenarios/failure_scenarios.ts";
import { REPLICATION_SCENARIOS } from "../scenarios/replication_scenarios.ts";
import { STATEFULSET_SCENARIOS } from "../scenarios/statefulset_scenarios.ts";
import { manifestPath } from "../unit/manifests/reading.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("ReplicationControllers with pods and events are under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await assertParity(cluster, {
    area: "replicationcontrollers",
    scenarios: [...REPLICATION_SCENARIOS, ...REPLICATION_FAILURES],
    resources: [REPLICATIONCONTROLLERS],
  });
});

const NAMED = ["sts-claims-go-with-both", "sts-label-lost", "sts-undo", "ds-surge", "ds-twin-revisions", "rc-scale"];

/** A few scenarios that together make every kind of request. */
async function runNamed(cluster: Cluster): Promise<void> {
  const all = [...STATEFULSET_SCENARIOS, ...DAEMONSET_SCENARIOS, ...REPLICATION_SCENARIOS];
  const named = all.filter(({ name }) => NAMED.includes(name));
  await Promise.all(named.map(async ({ name, run }) => await run(await cluster.namespace(name))));
}

clusterTest(
  "a user bound by rbac.yaml alone may do all that StatefulSets, DaemonSets and ReplicationControllers need",
  async () => {
    await using cluster = await Cluster.start();
    const { plane } = cluster;
    await plane.kubectl(["apply", "-f", manifestPath("rbac.yaml")]);
    const kubeconfig = await plane.writeKubeconfig("kubeloop", { user: await plane.authority.client("kubeloop") });
    const { process } = await startManager(plane, "kubeloop", {
      kubeconfig,
      flags: ["--use-service-account-credentials=false"],
    });
    await runNamed(cluster);
    assertFalse(process.output.includes("orbidden"), process.output);
  },
);

clusterTest(
  "the controllers of StatefulSets, DaemonSets and ReplicationControllers do with the API server's roles for them",
  async () => {
    await using cluster = await Cluster.start();
    const { process } = await startManager(cluster.plane, "kubeloop");
    await runNamed(cluster);
    assertFalse(process.output.includes("orbidden"), process.output);
  },
);

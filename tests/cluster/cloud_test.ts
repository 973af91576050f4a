/**
 * What becomes of nodes, Services and routes beside a cloud: under a cloud-controller-manager of upstream's framework and under ours, on
 * a real API server. Both ask the same cloud.
 */
import { NODES } from "../../src/api/mod.ts";
import { CloudServer } from "../controlplane/cloud_server.ts";
import type { ManagerKind } from "../controlplane/manager.ts";
import { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import { type CloudScenario, withCloud } from "../scenarios/cloud_kit.ts";
import { CLOUD_MACHINE_SCENARIOS } from "../scenarios/cloud_machine_scenarios.ts";
import { CLOUD_NODE_SCENARIOS } from "../scenarios/cloud_node_scenarios.ts";
import { CLOUD_ROUTE_SCENARIOS, CLOUD_ROUTES_SCENARIOS } from "../scenarios/cloud_route_scenarios.ts";
import { CLOUD_SERVICE_FAILURE_SCENARIOS } from "../scenarios/cloud_service_failure_scenarios.ts";
import { CLOUD_SERVICE_SCENARIOS } from "../scenarios/cloud_service_scenarios.ts";
import { CLOUD_TARGET_SCENARIOS } from "../scenarios/cloud_target_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const FLAGS = [
  "--node-status-update-frequency=1s",
  "--concurrent-node-syncs=8",
  "--concurrent-node-status-updates=8",
  "--concurrent-service-syncs=8",
  "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
];
const WITHOUT_ROUTES = [...FLAGS, "--configure-cloud-routes=false"];
const BOTH_FAMILIES = ["--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112"];

interface CloudArea {
  readonly area: string;
  readonly scenarios: readonly CloudScenario[];
  readonly flags: readonly string[];
  readonly parallel: number;
  /** Nodes that are there all the time, for balancers to lead to. */
  readonly nodes?: readonly string[];
}

async function assertSame({ area, scenarios, flags, parallel, nodes = [] }: CloudArea): Promise<void> {
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags: BOTH_FAMILIES });
  const cloud = new ScriptedCloud();
  await using server = new CloudServer(cloud.provider);
  for (const name of nodes) {
    const providerID = `judge://${name}`;
    cloud.machines.set(name, { metadata: { providerID } });
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    await cluster.client.create(NODES, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      spec: { providerID },
      status,
    });
  }
  const config = `${cluster.plane.folder}/cloud.json`;
  await Deno.writeTextFile(config, JSON.stringify({ ...WEBHOOK, url: server.url }));
  await assertParity(cluster, {
    area,
    scenarios: withCloud(scenarios, cloud),
    component: "cloud-controller-manager",
    flags,
    flagsOf: (kind) => [`--cloud-provider=${PROVIDERS[kind]}`, `--cloud-config=${config}`],
    parallel,
  });
}

/** One of the framework looks at nothing but the address. */
const WEBHOOK = { apiVersion: "kubeloop.dev/v1alpha1", kind: "WebhookProviderConfiguration" };
const PROVIDERS: Readonly<Record<ManagerKind, string>> = { upstream: "judge", kubeloop: "webhook" };

parityTest(
  "Nodes are initialised under kubeloop as under upstream's framework",
  () => assertSame({ area: "cloud_nodes", scenarios: CLOUD_NODE_SCENARIOS, flags: WITHOUT_ROUTES, parallel: 16 }),
);

parityTest(
  "Machines are stopped and removed under kubeloop as under upstream's framework",
  () => assertSame({ area: "cloud_machines", scenarios: CLOUD_MACHINE_SCENARIOS, flags: WITHOUT_ROUTES, parallel: 16 }),
);

parityTest("Services get balancers under kubeloop as under upstream's framework", () =>
  assertSame({
    area: "cloud_services",
    scenarios: [...CLOUD_SERVICE_SCENARIOS, ...CLOUD_SERVICE_FAILURE_SCENARIOS],
    flags: WITHOUT_ROUTES,
    parallel: 16,
    nodes: ["first", "second"],
  }));

parityTest(
  "Nodes come and go under balancers under kubeloop as under upstream's framework",
  () => assertSame({ area: "cloud_targets", scenarios: CLOUD_TARGET_SCENARIOS, flags: WITHOUT_ROUTES, parallel: 1 }),
);

parityTest(
  "Routes are made and removed under kubeloop as under upstream's framework",
  () => assertSame({ area: "cloud_routes", scenarios: CLOUD_ROUTE_SCENARIOS, flags: FLAGS, parallel: 8 }),
);

parityTest(
  "All routes are listed under kubeloop as under upstream's framework",
  () => assertSame({ area: "cloud_routes_in_turn", scenarios: CLOUD_ROUTES_SCENARIOS, flags: FLAGS, parallel: 1 }),
);

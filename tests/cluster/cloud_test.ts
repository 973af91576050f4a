/**
 * What becomes of nodes, Services and routes beside a cloud: under a cloud-controller-manager of upstream's framework and under ours, on
 * a real API server. Both ask the same cloud.
 */
import { assertEquals } from "@std/assert";
import { SERVICES } from "../../src/api/mod.ts";
import { dropLease, startManager } from "../controlplane/manager.ts";
import {
  addCloudService,
  changeService,
  FINALIZER,
  untilBalanced,
  untilEnsured,
  untilService,
} from "../scenarios/cloud_kit.ts";
import { type CloudScenario, withCloud } from "../scenarios/cloud_kit.ts";
import { CLOUD_MACHINE_SCENARIOS } from "../scenarios/cloud_machine_scenarios.ts";
import { CLOUD_NODE_SCENARIOS } from "../scenarios/cloud_node_scenarios.ts";
import { CLOUD_ROUTE_SCENARIOS, CLOUD_ROUTES_SCENARIOS } from "../scenarios/cloud_route_scenarios.ts";
import { CLOUD_SERVICE_FAILURE_SCENARIOS } from "../scenarios/cloud_service_failure_scenarios.ts";
import { CLOUD_SERVICE_SCENARIOS } from "../scenarios/cloud_service_scenarios.ts";
import { CLOUD_TARGET_SCENARIOS } from "../scenarios/cloud_target_scenarios.ts";
import { CLOUD_WATCHED_ROUTE_SCENARIOS } from "../scenarios/cloud_watched_route_scenarios.ts";
import { CLOUD_FLAGS, CloudCluster } from "./cloud_cluster.ts";
import { clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const WITHOUT_ROUTES = [...CLOUD_FLAGS, "--configure-cloud-routes=false"];

interface CloudArea {
  readonly area: string;
  readonly scenarios: readonly CloudScenario[];
  readonly flags: readonly string[];
  readonly parallel: number;
  /** Nodes that are there all the time, for balancers to lead to. */
  readonly nodes?: readonly string[];
}

/** Plays areas one after the other on a cluster that they share. */
async function assertSame(...areas: readonly CloudArea[]): Promise<void> {
  await using beside = await CloudCluster.start(areas.flatMap(({ nodes = [] }) => nodes));
  for (const { area, scenarios, flags, parallel } of areas) {
    await assertParity(beside.cluster, {
      area,
      scenarios: withCloud(scenarios, beside.cloud),
      component: "cloud-controller-manager",
      flags,
      flagsOf: (kind) => beside.flagsOf(kind),
      parallel,
    });
  }
}

parityTest(
  "Nodes are initialised, and machines stopped and removed under kubeloop as under upstream's framework",
  () =>
    assertSame(
      { area: "cloud_nodes", scenarios: CLOUD_NODE_SCENARIOS, flags: WITHOUT_ROUTES, parallel: 16 },
      { area: "cloud_machines", scenarios: CLOUD_MACHINE_SCENARIOS, flags: WITHOUT_ROUTES, parallel: 16 },
    ),
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

parityTest("Routes are made, removed and listed under kubeloop as under upstream's framework", () =>
  assertSame(
    { area: "cloud_routes", scenarios: CLOUD_ROUTE_SCENARIOS, flags: CLOUD_FLAGS, parallel: 8 },
    { area: "cloud_routes_in_turn", scenarios: CLOUD_ROUTES_SCENARIOS, flags: CLOUD_FLAGS, parallel: 1 },
    {
      area: "cloud_watched_routes",
      scenarios: CLOUD_WATCHED_ROUTE_SCENARIOS,
      flags: [...CLOUD_FLAGS, "--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true"],
      parallel: 3,
    },
  ));

clusterTest(
  "A Service that somebody takes the finalizer of gets it back, where upstream leaks the balancer",
  async () => {
    await using beside = await CloudCluster.start(["first"]);
    const { cluster, cloud } = beside;
    const flags = [...WITHOUT_ROUTES, ...beside.flagsOf("kubeloop")];
    const { process } = await startManager(cluster.plane, "kubeloop", { component: "cloud-controller-manager", flags });
    const kit = await cluster.namespace("stripped", { account: false });
    await addCloudService(kit);
    await untilBalanced(kit);
    await changeService(kit, { metadata: { finalizers: null } });
    await untilService(kit, "has its finalizer again", ({ metadata }) => metadata?.finalizers?.includes(FINALIZER));
    await untilEnsured(kit, cloud, 2);
    await kit.delete(SERVICES, "s");
    await kit.untilGone(SERVICES, "s");
    assertEquals(cloud.balancers.size, 0);
    await process.stop();
  },
);

clusterTest(
  "Behind the gate of webhooks neither upstream's framework nor kubeloop serves anything: none is registered",
  async () => {
    await using beside = await CloudCluster.start();
    const { plane } = beside.cluster;
    for (const kind of ["upstream", "kubeloop"] as const) {
      using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 }); // it could not serve there
      const flags = [
        ...WITHOUT_ROUTES,
        ...beside.flagsOf(kind),
        "--feature-gates=CloudControllerManagerWebhook=true",
        `--webhook-secure-port=${taken.addr.port}`,
      ];
      const { process } = await startManager(plane, kind, { component: "cloud-controller-manager", flags });
      assertEquals(/address already in use|AddrInUse/i.test(process.output), false, process.output);
      assertEquals(process.exit, undefined);
      await process.stop({ signal: "SIGKILL" });
      await dropLease(plane, "cloud-controller-manager");
    }
  },
);

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
import { CLOUD_TARGET_SCENARIOS, CLOUD_UPDATE_SCENARIOS } from "../scenarios/cloud_target_scenarios.ts";
import { CLOUD_WATCHED_ROUTE_SCENARIOS } from "../scenarios/cloud_watched_route_scenarios.ts";
import { CLOUD_FLAGS, CloudCluster } from "./cloud_cluster.ts";
import { PARITY } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const WITHOUT_ROUTES = [...CLOUD_FLAGS, "--configure-cloud-routes=false"];

const COMPONENT = "cloud-controller-manager";
const WATCHING_ROUTES = "--feature-gates=CloudControllerManagerWatchBasedRoutesReconciliation=true";

interface CloudArea {
  readonly area: string;
  readonly scenarios: readonly CloudScenario[];
  readonly flags?: readonly string[];
  readonly parallel: number;
  /** Nodes that are there all the time, for balancers to lead to. */
  readonly nodes?: readonly string[];
}

async function assertSame(
  beside: CloudCluster,
  { flags = WITHOUT_ROUTES, nodes = [], scenarios, ...rest }: CloudArea,
): Promise<void> {
  for (const name of nodes) await beside.addNode(name);
  await assertParity(beside.cluster, {
    ...rest,
    scenarios: withCloud(scenarios, beside.cloud),
    component: COMPONENT,
    flags,
    flagsOf: (kind) => beside.flagsOf(kind),
  });
  for (const name of nodes) await beside.removeNode(name);
}

/** Where upstream's framework leaks the balancer of a Service that somebody takes the finalizer of, ours puts it back. */
async function finalizerComesBack(beside: CloudCluster): Promise<void> {
  const { cluster, cloud } = beside;
  await beside.addNode("first");
  const flags = [...WITHOUT_ROUTES, ...beside.flagsOf("kubeloop")];
  const { process } = await startManager(cluster.plane, "kubeloop", { component: COMPONENT, flags });
  const kit = await cluster.namespace("stripped", { account: false });
  await addCloudService(kit);
  await untilBalanced(kit);
  await changeService(kit, { metadata: { finalizers: null } });
  await untilService(kit, "has its finalizer again", ({ metadata }) => metadata?.finalizers?.includes(FINALIZER));
  await untilEnsured(kit, cloud, 2);
  await kit.delete(SERVICES, "s");
  await kit.untilGone(SERVICES, "s");
  assertEquals([...cloud.balancers.values()].filter(({ service }) => service.metadata?.namespace === "stripped"), []);
  await process.stop();
  await dropLease(cluster.plane, COMPONENT);
  await beside.removeNode("first");
}

/** Behind the gate of webhooks neither serves anything: none is registered. */
async function noWebhookIsServed(beside: CloudCluster): Promise<void> {
  const { plane } = beside.cluster;
  for (const kind of ["upstream", "kubeloop"] as const) {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 }); // it could not serve there
    const flags = [
      ...WITHOUT_ROUTES,
      ...beside.flagsOf(kind),
      "--feature-gates=CloudControllerManagerWebhook=true",
      `--webhook-secure-port=${taken.addr.port}`,
    ];
    const { process } = await startManager(plane, kind, { component: COMPONENT, flags });
    assertEquals(/address already in use|AddrInUse/i.test(process.output), false, process.output);
    assertEquals(process.exit, undefined);
    await process.stop({ signal: "SIGKILL" });
    await dropLease(plane, COMPONENT);
  }
}

/** Managers mostly wait: each track has a cluster of its own, where one part comes after the other and leaves nothing behind. */
const TRACKS: readonly (readonly (CloudArea | ((beside: CloudCluster) => Promise<void>))[])[] = [
  [
    { area: "cloud_nodes", scenarios: CLOUD_NODE_SCENARIOS, parallel: 16 },
    { area: "cloud_machines", scenarios: CLOUD_MACHINE_SCENARIOS, parallel: 16 },
    { area: "cloud_updates", scenarios: CLOUD_UPDATE_SCENARIOS, parallel: 1 },
  ],
  [
    { area: "cloud_targets", scenarios: CLOUD_TARGET_SCENARIOS, parallel: 1 },
    {
      area: "cloud_watched_routes",
      scenarios: CLOUD_WATCHED_ROUTE_SCENARIOS,
      flags: [...CLOUD_FLAGS, WATCHING_ROUTES],
      parallel: 3,
    },
    noWebhookIsServed,
  ],
  [
    {
      area: "cloud_services",
      scenarios: [...CLOUD_SERVICE_SCENARIOS, ...CLOUD_SERVICE_FAILURE_SCENARIOS],
      parallel: 16,
      nodes: ["first", "second"],
    },
    { area: "cloud_routes", scenarios: CLOUD_ROUTE_SCENARIOS, flags: CLOUD_FLAGS, parallel: 8 },
    { area: "cloud_routes_in_turn", scenarios: CLOUD_ROUTES_SCENARIOS, flags: CLOUD_FLAGS, parallel: 1 },
    finalizerComesBack,
  ],
];

parityTest("Nodes, Services, balancers and routes fare under kubeloop as under upstream's framework", async () => {
  const played = await Promise.allSettled(TRACKS.map(async (parts) => {
    await using beside = await CloudCluster.start();
    for (const part of parts) {
      if (typeof part !== "function") await assertSame(beside, part);
      else if (PARITY !== "record") await part(beside);
    }
  }));
  const failed = played.flatMap((each) => each.status === "rejected" ? [each.reason] : []);
  if (failed.length > 0) throw new Error(failed.map((error) => error.message).join("\n\n"));
});

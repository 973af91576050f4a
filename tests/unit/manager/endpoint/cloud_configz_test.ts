import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  leaderMigration,
  managerFlags,
  managerOptions,
} from "../../../../src/manager/mod.ts";
import { configuration } from "../../../../src/manager/endpoint/configz.ts";

const GROUP = "cloudcontrollermanager.config.k8s.io";

async function document(...args: string[]) {
  const flags = managerFlags(["--cloud-provider=own", ...args], CLOUD_CONTROLLER_MANAGER);
  const migration = await leaderMigration(new FakeWorld().files, flags);
  const { controllerEntries: controllers } = managerOptions(flags);
  const all = configuration(flags, { controllers, migration }) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  assertEquals(Object.keys(all), [GROUP]);
  return all[GROUP];
}

Deno.test("configuration of cloud-controller-manager has upstream's sections, and no others", async () => {
  const shown = await document("--controllers=*,-route", "--cluster-cidr=10.0.0.0/8");
  assertEquals(Object.keys(shown), [
    "kind",
    "apiVersion",
    "Generic",
    "KubeCloudShared",
    "NodeController",
    "ServiceController",
    "NodeStatusUpdateFrequency",
    "Webhook",
  ]);
  assertEquals<unknown>([shown.kind, shown.apiVersion], ["CloudControllerManagerConfiguration", `${GROUP}/v1alpha1`]);
  assertEquals(shown.Generic.Controllers, ["*", "-node-route-controller"]);
  assertEquals(shown.KubeCloudShared.CloudProvider, { Name: "own", CloudConfigFile: "" });
  assertEquals(shown.KubeCloudShared.ClusterCIDR, "10.0.0.0/8");
  assertEquals<unknown>(shown.NodeStatusUpdateFrequency, "5m0s");
  assertEquals(shown.ServiceController, { ConcurrentServiceSyncs: 1 });
  assertEquals(shown.Generic.LeaderMigration, { leaderName: "", resourceLock: "", controllerLeaders: null });
});

for (
  const [args, updates] of [
    [[], 1],
    [["--concurrent-node-syncs=7"], 7],
    [["--concurrent-node-syncs=7", "--concurrent-node-status-updates=3"], 3],
  ] as const
) {
  Deno.test(`configuration shows ${updates} workers for the addresses of nodes with ${args.join(" ") || "no flag"}`, async () => {
    const { NodeController } = await document(...args);
    assertEquals(NodeController.ConcurrentNodeStatusUpdates, updates);
  });
}

Deno.test("configuration shows what moves between programs", async () => {
  const { Generic } = await document("--enable-leader-migration");
  assertEquals(Generic.LeaderMigration, {
    leaderName: "cloud-provider-extraction-migration",
    resourceLock: "leases",
    controllerLeaders: [
      { name: "route-controller", component: "*" },
      { name: "service-controller", component: "*" },
      { name: "cloud-node-lifecycle-controller", component: "*" },
    ],
  });
});

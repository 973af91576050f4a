import { assertEquals, assertStringIncludes } from "@std/assert";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import { type Node, NODES } from "../../../../src/api/mod.ts";
import { buildCloudNodeLifecycle } from "../../../../src/controllers/cloud_node_lifecycle/controller.ts";
import { CloudRig } from "../cloud_rig.ts";
import { fakeContext } from "../context.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";

/** The controller on a node that is not ready, and a cloud that has its machine. */
function build({ hasCloud = true, hasSynced = true } = {}) {
  const rig = new CloudRig();
  rig.cloud.machines.set("n", {});
  const informer = new FakeInformer<Node>({ objects: [{ metadata: { name: "n" } }], hasSynced });
  const synced = Promise.withResolvers<void>();
  if (hasSynced) synced.resolve();
  Object.assign(informer, { whenSynced: synced.promise });
  const metrics = new MetricsRegistry();
  const { world, client } = rig;
  const controller = buildCloudNodeLifecycle({
    ...fakeContext({ world, client, informers: [[NODES, informer]], metrics }),
    program: "cloud-controller-manager",
    recorder: () => rig.recorder,
    cloud: hasCloud ? rig.cloud.provider : { name: "fake", hasClusterId: true },
  }, { monitorPeriodMs: 5_000 });
  return { rig, controller, metrics, synced };
}

const RUNNING = 'running_managed_controllers{manager="cloud-controller-manager",name="cloud-node-lifecycle"}';

Deno.test("nodes are looked at once at the beginning, then a period after each pass", async () => {
  const { rig, controller, metrics } = build();
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  const looks = () => rig.cloud.asked("instanceExists").length;
  await rig.world.clock.advance(0);
  assertEquals(looks(), 1);
  assertStringIncludes(metrics.render(), `${RUNNING} 1`);
  await rig.world.clock.advance(4_999);
  assertEquals(looks(), 1);
  await rig.world.clock.advance(1);
  assertEquals(looks(), 2);
  stop.abort();
  await running;
  assertStringIncludes(metrics.render(), `${RUNNING} 0`);
  assertEquals(rig.world.clock.pendingTimers, 0);
});

Deno.test("nodes are not looked at before the cache has them all", async () => {
  const { rig, controller, synced } = build({ hasSynced: false });
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  await rig.world.clock.advance(60_000);
  assertEquals(rig.cloud.requests, []);
  synced.resolve();
  await rig.world.clock.advance(0);
  assertEquals(rig.cloud.asked("instanceExists").length, 1);
  stop.abort();
  await running;
});

Deno.test("nobody looks at nodes where the cloud has no machines", () => {
  assertEquals(build({ hasCloud: false }).controller, undefined);
});

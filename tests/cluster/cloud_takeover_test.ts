/**
 * Going from a manager of upstream's framework to ours, and back, with Services half done and nodes half initialised: whoever takes over
 * asks the cloud for no more than upstream's does when it is merely started again, and no node is deleted.
 */
import { assertEquals } from "@std/assert";
import { type KubeObject, NODES, SERVICES } from "../../src/api/mod.ts";
import { dropLease, leaseHolder, type Manager, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import {
  aboutService,
  addCloudService,
  addMachine,
  failure,
  hasTaint,
  linger,
  metadataOf,
  nodeOf,
  sayReady,
  untilAsked,
  untilAskedAgain,
  untilBalanced,
  untilEnsured,
  untilInitialized,
  untilNode,
} from "../scenarios/cloud_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { CLOUD_FLAGS, CloudCluster } from "./cloud_cluster.ts";
import { clusterTest } from "./cluster.ts";

const COMPONENT = "cloud-controller-manager";
const SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown";
/** Each takes over from the one before; the first that takes over is the same program. */
const TURNS: readonly ManagerKind[] = ["upstream", "upstream", "kubeloop", "kubeloop", "upstream"];

/**
 * Services: `done-a` and `done-b`, `unready` that is never ensured, `going` that is never deleted. Nodes: `ready`, `stopped`, `unwell` and
 * `half`, of which the cloud says nothing.
 */
async function begin(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  for (const name of ["ready", "stopped", "unwell"]) {
    const podCIDRs = [...cloud.nextRanges()];
    await addMachine(kit, cloud, name, { spec: { podCIDRs, podCIDR: podCIDRs[0] } });
    await untilInitialized(kit, name);
    await untilNode(
      kit,
      name,
      "has routes",
      ({ status }) => status?.conditions?.some((each) => each.type === "NetworkUnavailable" && each.status === "False"),
    );
  }
  cloud.machines.set(nodeOf(kit, "stopped"), { isShutdown: true, metadata: metadataOf(kit, "stopped") });
  await sayReady(kit, "stopped", "False");
  await sayReady(kit, "unwell", "Unknown");
  await untilNode(kit, "stopped", "is shut down", (node) => hasTaint(node, SHUTDOWN));
  cloud.fail("instanceMetadata", nodeOf(kit, "half"), failure("other"));
  await addMachine(kit, cloud, "half");
  for (const name of ["done-a", "done-b", "going"]) {
    await addCloudService(kit, {}, { name });
    await untilBalanced(kit, name);
  }
  cloud.fail("ensureLoadBalancer", aboutService(kit, "unready"), failure("other"));
  await addCloudService(kit, {}, { name: "unready" });
  await untilEnsured(kit, cloud, 1, "unready");
  cloud.fail("ensureLoadBalancerDeleted", aboutService(kit, "going"), failure("other"));
  await kit.delete(SERVICES, "going");
  await untilAsked(kit, cloud, { method: "ensureLoadBalancerDeleted", about: aboutService(kit, "going") });
}

/** Waits until a manager has looked at everything since `asked` was empty, and more. What fails is tried again more and more rarely. */
async function untilLookedAt(kit: Kit, cloud: ScriptedCloud): Promise<void> {
  for (const name of ["done-a", "done-b", "unready"]) await untilEnsured(kit, cloud, 1, name);
  await untilAsked(kit, cloud, { method: "ensureLoadBalancerDeleted", about: aboutService(kit, "going") });
  const twice = (method: string, about: string) => untilAsked(kit, cloud, { method, about, times: 2 });
  await twice("instanceExists", nodeOf(kit, "unwell"));
  for (const name of ["ready", "half"]) await twice("instanceMetadata", nodeOf(kit, name));
  await twice("listRoutes", "");
  await linger(kit);
}

/**
 * What was asked; how often, where that does not depend on how long one looks. Whether upstream gives a balancer its nodes again
 * before it first ensures it depends on which of its caches is filled first.
 */
function callsOf(cloud: ScriptedCloud): readonly string[] {
  const counts = new Map<string, number>();
  for (const { method, about, detail } of cloud.asked) {
    if (method === "updateLoadBalancer") continue;
    const text = [method, about, ...detail].join(" ");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const isCounted = (text: string) => /^(?:\w+LoadBalancer\w* \S+\/done|createRoute|deleteRoute)/.test(text);
  return [...counts].map(([text, times]) => isCounted(text) ? `${text} ${times} times` : text).sort();
}

/** What must not be written by taking over. */
async function versions(kit: Kit): Promise<readonly string[]> {
  const text = ({ metadata }: KubeObject) => `${metadata?.name} ${metadata?.uid} ${metadata?.resourceVersion}`;
  return [...await kit.list(NODES), ...await kit.list(SERVICES)].map(text).sort();
}

clusterTest("Managers of a cloud take over from each other in both directions with work half done", async () => {
  await using beside = await CloudCluster.start();
  const { cluster, cloud } = beside;
  const start = (kind: ManagerKind): Promise<Manager> =>
    startManager(cluster.plane, kind, { component: COMPONENT, flags: [...CLOUD_FLAGS, ...beside.flagsOf(kind)] });
  let manager = await start(TURNS[0]);
  const kit = await cluster.namespace("live", { account: false });
  await begin(kit, cloud);
  await linger(kit);
  const before = await versions(kit);
  let usual: readonly string[] | undefined;
  for (const kind of TURNS.slice(1)) {
    await manager.process.stop({ signal: "SIGKILL" });
    await dropLease(cluster.plane, COMPONENT);
    cloud.asked.length = 0;
    manager = await start(kind);
    await untilLookedAt(kit, cloud);
    usual ??= callsOf(cloud);
    assertEquals(callsOf(cloud), usual, `${kind} asked for other things than upstream does when it is started again`);
    assertEquals(await versions(kit), before, `${kind} wrote what was settled`);
  }
  cloud.mend("instanceMetadata", nodeOf(kit, "half"));
  await untilInitialized(kit, "half");
  cloud.mend("ensureLoadBalancer", aboutService(kit, "unready"));
  await untilBalanced(kit, "unready");
  cloud.mend("ensureLoadBalancerDeleted", aboutService(kit, "going"));
  await kit.untilGone(SERVICES, "going");
  assertEquals(cloud.balancers.size, 3);
  await manager.process.stop();
});

clusterTest(
  "The walk-through: ours waits beside a manager that leads, takes over when that ends, and gives back",
  async () => {
    await using beside = await CloudCluster.start();
    const { cluster, cloud } = beside;
    const start = (kind: ManagerKind, waitForLease: boolean): Promise<Manager> =>
      startManager(cluster.plane, kind, {
        component: COMPONENT,
        flags: [...CLOUD_FLAGS, ...beside.flagsOf(kind)],
        waitForLease,
      });
    using http = Deno.createHttpClient({ caCerts: [cluster.plane.authority.cert] });
    /** It is well, and not the leader. */
    const waits = async ({ process, healthzUrl }: Manager, holder: string) => {
      await eventually("it attempts to acquire the lease", async () => {
        if (process.exit) throw new Error(process.output.slice(-3000));
        return /attempting to acquire leader lease/i.test(process.output) &&
          await (await fetch(healthzUrl, { client: http })).text() === "ok";
      });
      assertEquals(await leaseHolder(cluster.plane, COMPONENT), holder);
    };
    const untilAnother = (holder: string) =>
      eventually("the other one leads", async () => {
        const now = await leaseHolder(cluster.plane, COMPONENT);
        return now !== "" && now !== holder && now;
      }, { withinMs: 120_000 });
    /** The next one has looked at everything, once the Service was ensured so often. */
    const settled = async (kit: Kit, ensured: number) => {
      await untilEnsured(kit, cloud, ensured, "web");
      await untilAskedAgain(kit, cloud, { method: "instanceMetadata", about: nodeOf(kit, "one") });
      await untilAskedAgain(kit, cloud, { method: "listRoutes", about: "" });
    };

    const theirs = await start("upstream", true);
    const kit = await cluster.namespace("shop", { account: false });
    const podCIDRs = [...cloud.nextRanges()];
    await addMachine(kit, cloud, "one", { spec: { podCIDRs, podCIDR: podCIDRs[0] } });
    await untilInitialized(kit, "one");
    await addCloudService(kit, {}, { name: "web" });
    await untilBalanced(kit, "web");
    await untilAskedAgain(kit, cloud, { method: "listRoutes", about: "", more: 3 });
    const before = await versions(kit);

    let holder = await leaseHolder(cluster.plane, COMPONENT);
    let ensured = cloud.times("ensureLoadBalancer", aboutService(kit, "web"));
    const ours = await start("kubeloop", false);
    await waits(ours, holder);
    await theirs.process.stop();
    holder = await untilAnother(holder);
    await settled(kit, ++ensured);
    assertEquals(await versions(kit), before);

    const back = await start("upstream", false);
    await waits(back, holder);
    assertEquals((await ours.process.stop()).code, 0);
    await untilAnother(holder);
    await settled(kit, ++ensured);
    assertEquals(await versions(kit), before);
    assertEquals([cloud.balancers.size, cloud.routes.length], [1, 2]);
    await back.process.stop();
  },
);

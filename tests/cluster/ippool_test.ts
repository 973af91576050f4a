/** Addresses of pools and machines of an inventory, by the whole program on a real API server. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EVENTS, NODES, SERVICES } from "../../src/api/mod.ts";
import { type Manager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { addBalanced, addressesOf, PoolManagers, ShownAddresses, untilGiven } from "./ippool_kit.ts";

const BOTH_FAMILIES = ["--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112"];

const POOLS = {
  pools: [
    { name: "gold", addresses: ["192.0.2.0/30"], serviceSelector: { matchLabels: { tier: "gold" } } },
    { name: "shop", addresses: ["198.51.100.0/29"], namespaces: ["shop"] },
    { name: "public", addresses: ["203.0.113.16-203.0.113.31", "2001:db8:0:1::/120"] },
    { name: "asked", addresses: ["203.0.113.64/31"], autoAssign: false, sharing: "None" },
  ],
};

/** Waits until users were told why the Service has no address, in words that include these. */
async function untilTold(kit: Kit, name: string, words: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `${name} has a reason`,
    (events) =>
      events.some(({ involvedObject, reason, message }) =>
        involvedObject.name === name && reason === "SyncLoadBalancerFailed" && message?.includes(words)
      ),
  );
  assertEquals(addressesOf(await kit.get(SERVICES, name)), []);
}

clusterTest("ippool gives addresses by family, label, namespace, request and key", async () => {
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags: BOTH_FAMILIES });
  const managers = await PoolManagers.of(cluster, POOLS);
  const { process } = await managers.start();
  const kit = await cluster.namespace("other", { account: false });
  const shop = await cluster.namespace("shop", { account: false });
  const given = async (name: string, more: Parameters<typeof addBalanced>[2] = {}, where = kit) => {
    await addBalanced(where, name, more);
    return await untilGiven(where, name);
  };
  const families = (policy: string, ...ipFamilies: string[]) => ({ spec: { ipFamilyPolicy: policy, ipFamilies } });

  assertEquals(await given("four"), ["203.0.113.16"]);
  assertEquals(await given("six", families("SingleStack", "IPv6")), ["2001:db8:0:1::"]);
  assertEquals(await given("both", families("RequireDualStack", "IPv4", "IPv6")), ["203.0.113.17", "2001:db8:0:1::1"]);
  assertEquals(await given("turned", families("RequireDualStack", "IPv6", "IPv4")), [
    "2001:db8:0:1::2",
    "203.0.113.18",
  ]);

  assertEquals(await given("gold", { labels: { tier: "gold" } }), ["192.0.2.0"]);
  assertEquals(await given("ours", {}, shop), ["198.51.100.0"]);
  const fromPool = (name: string) => ({ annotations: { "ippool/pool": name } });
  assertEquals(await given("at-most", { ...families("PreferDualStack"), ...fromPool("shop") }, shop), ["198.51.100.1"]);
  await addBalanced(shop, "at-least", { ...families("RequireDualStack"), ...fromPool("shop") });
  await untilTold(shop, "at-least", "no pool gives IPv6 addresses to this Service");
  await addBalanced(kit, "not-ours", fromPool("shop"));
  await untilTold(kit, "not-ours", "no pool gives IPv4 addresses to this Service");

  assertEquals(await given("asked", { annotations: { "ippool/addresses": "203.0.113.65" } }), ["203.0.113.65"]);
  assertEquals(await given("by-field", { spec: { loadBalancerIP: "203.0.113.31" } }), ["203.0.113.31"]);
  await addBalanced(kit, "in-use", { annotations: { "ippool/addresses": "203.0.113.31" } });
  await untilTold(kit, "in-use", "requested address 203.0.113.31 is in use by another Service");
  await addBalanced(kit, "foreign", { annotations: { "ippool/addresses": "10.0.0.1" } });
  await untilTold(kit, "foreign", "requested address 10.0.0.1 is in no pool for this Service");
  await addBalanced(kit, "odd", { annotations: { "ippool/addresses": "none" } });
  await untilTold(kit, "odd", "ippool/addresses");

  const shared = (port: number) => ({
    annotations: { "ippool/sharing-key": "k", "ippool/addresses": "203.0.113.30" },
    spec: { ports: [{ port, protocol: "TCP" }] },
  });
  assertEquals(await given("first", shared(80)), ["203.0.113.30"]);
  assertEquals(await given("second", shared(81)), ["203.0.113.30"]);
  await addBalanced(kit, "same-port", shared(81));
  await untilTold(kit, "same-port", "203.0.113.30");
  await addBalanced(shop, "stranger", shared(82));
  await untilTold(shop, "stranger", "203.0.113.30");

  // What one gives back another gets who waits for it.
  await kit.delete(SERVICES, "by-field");
  assertEquals(await untilGiven(kit, "in-use"), ["203.0.113.31"]);
  assertEquals((await process.stop()).code, 0);
});

clusterTest(
  "The inventory of ippool initialises, taints and deletes Nodes, and is added and changed without a restart",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { client } = cluster;
    const managers = await PoolManagers.of(cluster, POOLS);
    const { process } = await managers.start();
    const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }];
    const named = async (name: string) => await client.get(NODES, { name });
    const untilNode = (what: string, name: string, holds: (node: Awaited<ReturnType<typeof named>>) => unknown) =>
      eventually(`${name} ${what}`, async () => Boolean(await holds(await named(name))), { withinMs: 90_000 });
    const say = (name: string, status: string) =>
      client.patch(NODES, { name }, {
        type: "strategic",
        body: {
          status: {
            conditions: [{ type: "Ready", status, reason: "Said", lastHeartbeatTime: new Date().toISOString() }],
          },
        },
        subresource: "status",
      });
    const foreign = { metadata: { name: "foreign" }, spec: { providerID: "aws:///i-1" } };
    await client.create(NODES, { apiVersion: "v1", kind: "Node", ...foreign });
    for (const name of ["one", "two", "three"]) {
      await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { taints } });
      await say(name, name === "one" ? "True" : "Unknown");
    }
    await eventually("nodes are looked at", () => process.output.includes("its cloud knows nothing of"));
    assertEquals((await client.list(NODES)).items.length, 4, "nobody is deleted while there is no inventory");

    const one = {
      name: "one",
      addresses: [{ type: "InternalIP", address: "10.1.0.1" }, { type: "Hostname", address: "one" }],
      zone: "rack-1",
      region: "cellar",
      instanceType: "small",
      labels: { "example.com/disk": "ssd" },
    };
    await managers.configure({ ...POOLS, nodes: [one, { name: "two", shutdown: true }] });
    await untilNode("has its addresses", "one", async () => {
      await say("one", "True"); // its kubelet's heart beats
      return (await named("one")).status?.addresses?.length;
    });
    await untilNode("is initialised", "one", ({ spec }) => !spec?.taints?.some(({ key }) => key === taints[0].key));
    const { metadata, spec, status } = await named("one");
    assertEquals(spec?.providerID, "ippool://one");
    assertEquals(status?.addresses, one.addresses);
    const labels = Object.entries(metadata?.labels ?? {}).filter(([key]) => !key.includes("beta")).sort();
    assertEquals(labels, [
      ["example.com/disk", "ssd"],
      ["node.kubernetes.io/instance-type", "small"],
      ["topology.kubernetes.io/region", "cellar"],
      ["topology.kubernetes.io/zone", "rack-1"],
    ]);
    await untilNode(
      "is marked as shut down",
      "two",
      ({ spec }) => spec?.taints?.some(({ key }) => key === "node.cloudprovider.kubernetes.io/shutdown"),
    );
    await eventually(
      "the Node that no inventory has is deleted",
      async () => (await client.list(NODES)).items.length === 3,
    );

    // A Node of another cloud is not ours to say anything of.
    assertStringIncludes(process.output, "Node foreign is another cloud's: its providerID is ");

    await managers.configure(POOLS);
    await eventually(
      "an inventory that goes as a whole is refused",
      () => process.output.includes("nodes must not go away as a whole"),
    );
    await managers.configure({ ...POOLS, nodes: [one] });
    await eventually(
      "the Node whose machine was removed is deleted",
      async () => (await client.list(NODES)).items.length === 2,
    );
    assertEquals((await named("foreign")).spec?.providerID, foreign.spec.providerID);
    assertEquals((await process.stop()).code, 0);
  },
);

/** There is an address for each Service, and none more. */
const CROWD = 60;

clusterTest("Leaders of ippool follow each other by SIGKILL, and no address is given twice", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const { client } = cluster;
  const pools = [{ name: "all", addresses: [`192.0.2.1-192.0.2.${CROWD}`] }];
  const managers = await PoolManagers.of(cluster, { pools });
  const running: Manager[] = [await managers.start(), await managers.start(false)];
  const kit = await cluster.namespace("crowd", { account: false });
  await using shown = await ShownAddresses.follow(client);
  const names = Array.from({ length: CROWD }, (_, i) => `s${i}`);
  const given = async () => (await kit.list(SERVICES)).filter((each) => addressesOf(each).length > 0).length;
  const add = (some: readonly string[]) => Promise.all(some.map((name) => addBalanced(kit, name)));

  for (const third of [0, 1, 2]) {
    const before = await given();
    const adding = add(names.slice(third * 20, third * 20 + 20));
    await eventually("some have addresses", async () => await given() >= before + 3, { everyMs: 5 });
    const leader = running.shift()!;
    await leader.process.stop({ signal: "SIGKILL" });
    running.push(await managers.start(false));
    await adding;
    // Some go, and others come in their place.
    for (const name of names.slice(third * 20, third * 20 + 4)) {
      await kit.delete(SERVICES, name);
      await kit.untilGone(SERVICES, name);
      await addBalanced(kit, name);
    }
    // It may be either of those that are left: the first is to be the leader.
    await eventually("the next one leads", () => {
      const at = running.findIndex(({ process }) => process.output.includes("Addresses of Services are known"));
      if (at > 0) running.reverse();
      return at >= 0;
    }, { withinMs: 90_000 });
  }
  const all = await kit.untilAll(
    SERVICES,
    "all have an address",
    (services) => services.length === CROWD && services.every((each) => addressesOf(each).length === 1),
  );
  const addresses = all.flatMap(addressesOf);
  assertEquals(new Set(addresses).size, CROWD);
  await addBalanced(kit, "one-more");
  await untilTold(kit, "one-more", "no free address in pools all");
  await shown.seen(await kit.get(SERVICES, "one-more"));
  assertEquals(shown.twice, []);
  const outputs = running.map(({ process }) => process.output).join("\n");
  assert(!outputs.includes("Two Services have the same address"), outputs.slice(-3000));
  assertStringIncludes(outputs, "Addresses of Services are known");
});

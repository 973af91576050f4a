import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { CloudError, InstanceNotFoundError } from "../../../../src/cloud/mod.ts";
import { Cluster, Leader, poolsText, service } from "./stage.ts";

const SMALL = poolsText("[{name: a, addresses: [10.0.0.4/30]}]");
const DUAL = poolsText("[{name: a, addresses: [10.0.0.4/30]}, {name: b, addresses: ['fd00::/64']}]");

Deno.test("a Service gets the lowest free address of the first pool, ipMode VIP, and the same again", async () => {
  await using leader = await Leader.start(new Cluster(), SMALL);
  const { ensureLoadBalancer, getLoadBalancer } = leader.provider.loadBalancers!;
  const signal = new AbortController().signal;
  const first = await ensureLoadBalancer.call(leader.provider.loadBalancers, "k", service("x"), [], signal);
  assertEquals(first, { ingress: [{ ip: "10.0.0.4", ipMode: "VIP" }] });
  assertEquals(await leader.ensure(service("x")), ["10.0.0.4"]);
  assertEquals(await leader.ensure(service("y")), ["10.0.0.5"]);
  assertEquals(await getLoadBalancer.call(leader.provider.loadBalancers, "k", service("x"), signal), first);
  assertEquals(await getLoadBalancer.call(leader.provider.loadBalancers, "k", service("z"), signal), null);
});

Deno.test("PoolBalancers: the statuses of Services are the only memory, so an address that one shows goes to no other", async () => {
  const cluster = new Cluster();
  cluster.put(service("old", { ips: ["10.0.0.4"] }));
  await using leader = await Leader.start(cluster, SMALL);
  assertEquals(await leader.ensure(service("new")), ["10.0.0.5"]);
  assertEquals(await leader.ensure(service("old")), ["10.0.0.4"]);
});

Deno.test("a requested address in use is an error that names no other tenant", async () => {
  const cluster = new Cluster();
  cluster.put(service("old", { namespace: "secret", ips: ["10.0.0.4"] }));
  await using leader = await Leader.start(cluster, SMALL);
  const error = await assertRejects(() => leader.ensure(service("new", { loadBalancerIP: "10.0.0.4" })), CloudError);
  assertEquals(error.message, "requested address 10.0.0.4 is in use by another Service");
});

Deno.test("PoolBalancers: deciding is one step for all Services", async () => {
  await using leader = await Leader.start(new Cluster(), poolsText("[{name: a, addresses: [10.0.0.0/24]}]"));
  const names = Array.from({ length: 256 }, (_, i) => `s${i}`);
  const given = await Promise.all(names.map((name) => leader.ensure(service(name))));
  assertEquals(new Set(given.flat()).size, 256);
});

Deno.test("Allocator: each method decides and notes in one go, so that what fails leaves nothing behind", async () => {
  await using leader = await Leader.start(
    new Cluster(),
    poolsText("[{name: a, addresses: [10.0.0.4/32, 'fd00::/127']}]"),
  );
  const both = { families: ["IPv6", "IPv4"], policy: "RequireDualStack" };
  assertEquals(await leader.settle(service("a", both)), ["fd00::", "10.0.0.4"]);
  await assertRejects(() => leader.ensure(service("b", both)), CloudError, "no free address in pools a");
  assertEquals(await leader.settle(service("c", { families: ["IPv6"] })), ["fd00::1"]);
});

Deno.test("no address is given before Services were read", async () => {
  const cluster = new Cluster();
  cluster.put(service("old", { ips: ["10.0.0.4"] }));
  await using leader = await Leader.open(cluster, SMALL);
  const early = leader.ensure(service("new"));
  await leader.world.clock.advance(10);
  await leader.initialize();
  assertEquals(await early, ["10.0.0.5"]);
});

Deno.test("a start fails where Services cannot be read", async () => {
  const cluster = new Cluster();
  cluster.status = 403;
  await using leader = await Leader.open(cluster, SMALL);
  await assertRejects(() => leader.initialize());
});

Deno.test("PoolBalancers: of two Services that show one address the older keeps it, the other is told and gets another", async () => {
  const cluster = new Cluster();
  cluster.put(
    service("young", { ips: ["10.0.0.4"], created: "2026-03-01T00:00:00Z" }),
    service("old", { ips: ["10.0.0.4"], created: "2026-02-01T00:00:00Z" }),
  );
  await using leader = await Leader.start(cluster, SMALL);
  assertEquals(cluster.events.map(({ name, reason }) => [name, reason]), [["young", "LoadBalancerAddressConflict"]]);
  assertEquals(await leader.settle(service("young")), ["10.0.0.5"]);
  assertEquals(await leader.settle(service("old")), ["10.0.0.4"]);
  await leader.pass();
  assertEquals(await leader.settle(service("old")), ["10.0.0.4"]);
});

Deno.test("Claims: an address is free once no Service holds it, and none that is leaving it may still show it in its status", async () => {
  const cluster = new Cluster();
  await using leader = await Leader.start(cluster, poolsText("[{name: tiny, addresses: [10.0.0.4/32]}]"));
  const first = service("first");
  await leader.settle(first);
  await assertRejects(() => leader.ensure(service("second")), CloudError, "no free address in pools tiny");
  await leader.delete(first);
  await assertRejects(() => leader.ensure(service("second")), CloudError, "no free address in pools tiny");
  await leader.pass();
  await assertRejects(
    () => leader.ensure(service("second")),
    CloudError,
    "no free address",
    "the status shows it still",
  );
  cluster.put(first);
  await leader.pass(10_000);
  assertEquals(await leader.ensure(service("second")), ["10.0.0.4"]);
});

Deno.test("a Service that went away untold gives its address back when addresses run out", async () => {
  const cluster = new Cluster();
  cluster.put(service("lost", { ips: ["10.0.0.4"] }));
  await using leader = await Leader.start(cluster, poolsText("[{name: tiny, addresses: [10.0.0.4/32]}]"));
  cluster.services.clear();
  assertEquals(await leader.ensure(service("next")), ["10.0.0.4"]);
  const { requests } = cluster;
  await assertRejects(() => leader.ensure(service("other")), CloudError);
  assertEquals(cluster.requests, requests, "it looks at most once a minute");
});

Deno.test("Allocator: an address that a Service should lose stays taken until its status no longer shows it, also while the API server does not answer", async () => {
  const cluster = new Cluster();
  await using leader = await Leader.start(cluster, SMALL);
  const gone = service("gone");
  await leader.ensure(gone);
  cluster.status = 500;
  await leader.delete(gone);
  await leader.pass(120_000);
  assertEquals(await leader.ensure(service("next")), ["10.0.0.5"]);
});

Deno.test("families: both in their order, one where preferred, none where one is missing", async () => {
  await using leader = await Leader.start(new Cluster(), DUAL);
  const both = { families: ["IPv6", "IPv4"], policy: "RequireDualStack" };
  assertEquals(await leader.settle(service("both", both)), ["fd00::", "10.0.0.4"]);
  await using single = await Leader.start(new Cluster(), SMALL);
  assertEquals(await single.settle(service("prefers", { ...both, policy: "PreferDualStack" })), ["10.0.0.4"]);
  await assertRejects(() => single.ensure(service("needs", both)), CloudError, "no pool gives IPv6 addresses");
  assertEquals(await single.settle(service("next")), ["10.0.0.5"], "what failed took nothing");
});

Deno.test("requests: by field and annotation, of the right pool and family, one of each", async () => {
  await using leader = await Leader.start(new Cluster(), DUAL);
  const asks = (annotations: Record<string, string>, more = {}) => service("x", { annotations, ...more });
  assertEquals(await leader.ensure(asks({}, { loadBalancerIP: "10.0.0.7" })), ["10.0.0.7"]);
  assertEquals(await leader.ensure(asks({ "ippool/addresses": "10.0.0.6" })), ["10.0.0.6"]);
  const dual = { families: ["IPv4", "IPv6"], policy: "RequireDualStack" };
  assertEquals(await leader.ensure(asks({ "ippool/addresses": "fd00::5, 10.0.0.6" }, dual)), ["10.0.0.6", "fd00::5"]);
  for (
    const [annotations, why] of [
      [{ "ippool/addresses": "10.1.0.6" }, "is in no pool for this Service"],
      [{ "ippool/addresses": "10.0.0.6,10.0.0.7" }, "is a second IPv4 address"],
      [{ "ippool/addresses": "banana" }, "is not an IP address"],
      [{ "ippool/addresses": "fd00::1%eth0" }, "is not an IP address"],
      [{ "ippool/addresses": "fd00::1" }, "spec.ipFamilies is IPv4"],
      [{ "ippool/addresses": "10.0.0.6", "ippool/pool": "b" }, "is in no pool for this Service"],
      [{ "ippool/pool": "nope" }, 'no pool gives IPv4 addresses to this Service, of those called "nope"'],
      [{ "ippool/addresses": "1".repeat(300) }, "at most 253 characters"],
    ] as const
  ) {
    const error = await assertRejects(() => leader.ensure(asks(annotations)), CloudError);
    assertStringIncludes(error.message, why);
  }
});

Deno.test("pools are for namespaces, labels, and those that ask", async () => {
  await using leader = await Leader.start(
    new Cluster(),
    poolsText(`
- {name: shop, addresses: [10.0.1.0/30], namespaces: [shop]}
- {name: gold, addresses: [10.0.2.0/30], serviceSelector: {matchLabels: {tier: gold}}}
- {name: manual, addresses: [10.0.3.0/30], autoAssign: false}
- {name: rest, addresses: [10.0.4.0/30]}`),
  );
  assertEquals(await leader.ensure(service("a", { namespace: "shop" })), ["10.0.1.0"]);
  assertEquals(await leader.ensure(service("b", { labels: { tier: "gold" } })), ["10.0.2.0"]);
  assertEquals(await leader.ensure(service("c")), ["10.0.4.0"]);
  assertEquals(await leader.ensure(service("d", { annotations: { "ippool/pool": "manual" } })), ["10.0.3.0"]);
  assertEquals(await leader.ensure(service("e", { loadBalancerIP: "10.0.3.3" })), ["10.0.3.3"]);
  await assertRejects(
    () => leader.ensure(service("f", { loadBalancerIP: "10.0.1.3" })),
    CloudError,
    "in no pool for this",
  );
});

Deno.test("sharing: equal keys, different ports, within a namespace unless the pool says otherwise", async () => {
  const key = { "ippool/sharing-key": "k" };
  await using leader = await Leader.start(new Cluster(), SMALL);
  assertEquals(await leader.settle(service("web", { annotations: key, ports: [80] })), ["10.0.0.4"]);
  assertEquals(await leader.settle(service("dns", { annotations: key, ports: [53] })), ["10.0.0.4"]);
  assertEquals(await leader.settle(service("web2", { annotations: key, ports: [80] })), ["10.0.0.5"]);
  assertEquals(await leader.settle(service("foreign", { annotations: key, ports: [99], namespace: "other" })), [
    "10.0.0.6",
  ]);
  assertEquals(await leader.settle(service("no-key", { ports: [98] })), ["10.0.0.7"]);
  await assertRejects(
    () =>
      leader.ensure(service("thief", { annotations: key, ports: [97], namespace: "x", loadBalancerIP: "10.0.0.4" })),
    CloudError,
    "in use by another Service",
  );
  // A port that collides later moves whoever took it.
  await leader.delete(service("no-key", { ports: [98] }));
  leader.cluster.services.delete("default/no-key");
  await leader.pass();
  assertEquals(await leader.settle(service("dns", { annotations: key, ports: [53, 80] })), ["10.0.0.7"]);
  await using open = await Leader.start(
    new Cluster(),
    poolsText("[{name: a, addresses: [10.0.0.4/31], sharing: Cluster}]"),
  );
  assertEquals(await open.ensure(service("a", { annotations: key, ports: [1] })), ["10.0.0.4"]);
  assertEquals(await open.ensure(service("b", { annotations: key, ports: [2], namespace: "other" })), ["10.0.0.4"]);
});

Deno.test("Allocator: a Service whose address is no longer in any pool keeps it after a reload; a bad text changes nothing", async () => {
  const cluster = new Cluster();
  await using leader = await Leader.start(cluster, SMALL);
  await leader.settle(service("a"));
  leader.config.change(poolsText("[{name: a, addresses: [10.0.0.9-10.0.0.8]}]"));
  const [line] = leader.world.log.lines.filter(({ severity }) => severity === "error");
  assertStringIncludes(
    String(line.fields.err),
    '/etc/cloud.yaml: pools[0].addresses[0]: "10.0.0.9-10.0.0.8": it is reversed',
  );
  assertEquals(await leader.ensure(service("b")), ["10.0.0.5"]);
  leader.config.change(poolsText("[{name: a, addresses: [10.9.0.0/30, 10.0.0.5/32]}]"));
  assertEquals(cluster.events.map(({ name, reason }) => [name, reason]), [["a", "LoadBalancerAddressOutsidePools"]]);
  assertEquals(await leader.ensure(service("a")), ["10.0.0.4"], "it is kept");
  assertEquals(await leader.ensure(service("b")), ["10.0.0.5"]);
  assertEquals(await leader.ensure(service("c")), ["10.9.0.0"]);
  await using next = await Leader.start(cluster, poolsText("[{name: a, addresses: [10.9.0.0/30]}]"));
  assertEquals(await next.ensure(service("a")), ["10.9.0.0"], "an address outside of all pools may be another cloud's");
  await using retiring = await Leader.start(
    cluster,
    poolsText("[{name: a, addresses: [10.9.0.0/30]}, {name: old, addresses: [10.0.0.4/30], autoAssign: false}]"),
  );
  assertEquals(await retiring.ensure(service("a")), ["10.0.0.4"], "retired addresses are kept");
  assertEquals(await retiring.ensure(service("e")), ["10.9.0.0"]);
  leader.config.change(SMALL);
  assertEquals(await leader.ensure(service("d")), ["10.0.0.6"], "10.0.0.4 and 10.0.0.5 were never free");
  assertEquals(await leader.ensure(service("a", { annotations: { "ippool/addresses": "10.0.0.7" } })), ["10.0.0.7"]);
});

Deno.test("FreeAddresses: it costs the same for ranges of any length, 2^64 too, and little for 100,000 used addresses", async () => {
  const cluster = new Cluster();
  await using leader = await Leader.start(cluster, poolsText("[{name: a, addresses: ['fd00::/64', 10.0.0.0/8]}]"));
  const startMs = performance.now();
  for (let i = 0; i < 100_000; i++) await leader.ensure(service(`s${i}`));
  for (let i = 0; i < 1000; i++) {
    await leader.delete(service("s0"));
    assertEquals(await leader.ensure(service("s0")), ["10.0.0.0"]);
  }
  assertEquals(await leader.ensure(service("last")), ["10.1.134.160"]);
  assertEquals(await leader.ensure(service("six", { families: ["IPv6"] })), ["fd00::"]);
  assert(performance.now() - startMs < 60_000, "it is not quadratic");
});

Deno.test("the inventory: machines by providerID or name, and another cloud's Nodes get no answer", async () => {
  const nodes = `nodes:
- {name: one, addresses: [{type: InternalIP, address: 10.1.0.1}], zone: z, region: r, instanceType: t, labels: {a: b}}
- {name: two, shutdown: true}`;
  await using leader = await Leader.start(new Cluster(), poolsText("[{name: a, addresses: [10.0.0.4/30]}]", nodes));
  const instances = leader.provider.instances!;
  const { signal } = new AbortController();
  const one = { metadata: { name: "one" } };
  assertEquals(await instances.instanceMetadata(one, signal), {
    providerID: "ippool://one",
    nodeAddresses: [{ type: "InternalIP", address: "10.1.0.1" }],
    instanceType: "t",
    zone: "z",
    region: "r",
    additionalLabels: { a: "b" },
  });
  const renamed = { metadata: { name: "else" }, spec: { providerID: "ippool://two" } };
  assertEquals([await instances.instanceExists(renamed, signal), await instances.instanceShutdown(renamed, signal)], [
    true,
    true,
  ]);
  assertEquals(await instances.instanceExists({ metadata: { name: "three" } }, signal), false);
  await assertRejects(() => instances.instanceMetadata({ metadata: { name: "three" } }, signal), InstanceNotFoundError);
  const foreign = { metadata: { name: "one" }, spec: { providerID: "aws:///i-1" } };
  await assertRejects(() => instances.instanceExists(foreign, signal), CloudError, "is another cloud's");
  leader.config.change(SMALL);
  assertEquals(await instances.instanceExists(one, signal), true, "an inventory does not go away as a whole");
  leader.config.change(poolsText("[{name: a, addresses: [10.0.0.4/30]}]", "nodes: [{name: two}]"));
  assertEquals(await instances.instanceExists(one, signal), false);
});

Deno.test("without an inventory Nodes are left alone, and one that a reload adds counts at once", async () => {
  await using leader = await Leader.open(new Cluster(), SMALL);
  const instances = leader.provider.instances!;
  assertEquals([leader.provider.routes, leader.provider.hasClusterId], [undefined, true]);
  const { signal } = new AbortController();
  const node = (name: string, providerID?: string) => ({ metadata: { name }, spec: { providerID } });
  for (const each of [node("one"), node("theirs", "aws:///i-1"), node("ours", "ippool://one")]) {
    assertEquals(await instances.instanceExists(each, signal), true);
    assertEquals(await instances.instanceShutdown(each, signal), false);
    assertEquals(await instances.instanceMetadata(each, signal), null);
  }
  const leaves = "an inventory of nodes was added";
  const said = () => leader.world.log.lines.filter(({ message }) => message.toLowerCase().includes(leaves)).length;
  leader.config.change(poolsText("[{name: a, addresses: [10.0.0.4/30]}]", "nodes: [{name: one, shutdown: true}]"));
  assertEquals((await instances.instanceMetadata(node("one"), signal))?.providerID, "ippool://one");
  assertEquals(await instances.instanceShutdown(node("one"), signal), true);
  assertEquals(await instances.instanceExists(node("two"), signal), false);
  assertEquals(said(), 1);
});

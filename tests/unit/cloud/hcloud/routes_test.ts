import { assertEquals, assertRejects } from "@std/assert";
import { CloudConflictError, type CloudRoute } from "../../../../src/cloud/mod.ts";
import { Bench, type BenchOptions } from "./bench.ts";

async function benchWithRoutes(options: BenchOptions = {}) {
  const bench = new Bench({ ...options, env: { HCLOUD_NETWORK: "cluster", ...options.env } });
  const { project } = bench.emulator;
  const network = project.addNetwork("cluster");
  const servers = ["node-1", "node-2"].map((name, i) => {
    const server = project.addServer(name);
    project.attach(server, network, `10.0.0.${i + 2}`);
    return server;
  });
  const provider = await bench.open();
  const routes = provider.routes!;
  return {
    bench,
    network,
    servers,
    project,
    routes,
    list: () => bench.run(routes.listRoutes("kubernetes", bench.signal)),
    create: (route: CloudRoute) => bench.run(routes.createRoute("kubernetes", "uid-1", route, bench.signal)),
    remove: (route: CloudRoute) => bench.run(routes.deleteRoute("kubernetes", route, bench.signal)),
  };
}

const routeTo = (n: number, destinationCIDR = `10.244.${n}.0/24`): CloudRoute => ({
  targetNode: `node-${n}`,
  destinationCIDR,
  targetNodeAddresses: [{ type: "InternalIP", address: `10.0.0.${n + 1}` }],
});

Deno.test("routes lead to the server's address in the network, and are listed with it", async () => {
  const { create, list, network, remove } = await benchWithRoutes({ actionMs: 300 });
  await create(routeTo(1));
  await create(routeTo(2));
  assertEquals(network.routes, [
    { destination: "10.244.1.0/24", gateway: "10.0.0.2" },
    { destination: "10.244.2.0/24", gateway: "10.0.0.3" },
  ]);
  const listed = await list();
  assertEquals(listed, [
    { name: "10.0.0.2-10.244.1.0/24", destinationCIDR: "10.244.1.0/24", targetNode: "node-1" },
    { name: "10.0.0.3-10.244.2.0/24", destinationCIDR: "10.244.2.0/24", targetNode: "node-2" },
  ]);
  await remove(listed[0]);
  await remove(listed[0]);
  assertEquals(network.routes.length, 1);
});

Deno.test("a route that is there is not written, and one to elsewhere is replaced", async () => {
  const { bench, create, network, routes } = await benchWithRoutes();
  await create(routeTo(1));
  const again = () => routes.createRoute("kubernetes", "uid", routeTo(1), bench.signal);
  assertEquals(await bench.writes(again), []);
  network.routes[0].gateway = "10.0.0.99";
  assertEquals(await bench.writes(again), ["POST delete_route", "POST add_route"]);
  assertEquals(network.routes, [{ destination: "10.244.1.0/24", gateway: "10.0.0.2" }]);
});

Deno.test("many routes at once wait for each other", async () => {
  const { bench, network, routes, project } = await benchWithRoutes({ actionMs: 400 });
  const many = Array.from({ length: 20 }, (_, i) => {
    project.attach(project.addServer(`node-${i + 10}`), network, `10.0.0.${i + 11}`);
    return routeTo(i + 10);
  });
  await bench.run(Promise.all(many.map((route) => routes.createRoute("kubernetes", "uid", route, bench.signal))));
  assertEquals(network.routes.length, 20);
});

Deno.test("a locked network is a conflict", async () => {
  const { create, network, project } = await benchWithRoutes();
  const lock = `networks/${network.id}`;
  project.pending.push({ action: {}, doneAtMs: Infinity, lock, error: undefined, effect: () => {} });
  await assertRejects(() => create(routeTo(1)), CloudConflictError);
});

Deno.test("a route to an address of no server leads nowhere, if all servers of the network are listed", async () => {
  const { list, network, servers, project, bench } = await benchWithRoutes();
  network.routes.push({ destination: "10.244.7.0/24", gateway: "10.0.0.77" }, {
    destination: "10.244.2.0/24",
    gateway: "10.0.0.3",
  });
  assertEquals((await list()).map(({ targetNode, blackhole }) => [targetNode, blackhole]), [["", true], [
    "node-2",
    undefined,
  ]]);
  await bench.world.clock.advance(20_000);
  project.servers.delete(servers[1].id);
  await assertRejects(list, Error, "the list of servers lacks some");
  network.servers = [servers[0].id];
  assertEquals((await list()).map(({ blackhole }) => blackhole), [true, true]);
  await bench.world.clock.advance(20_000);
  project.servers.clear();
  network.servers = [];
  await assertRejects(list, Error, "the list of servers lacks some");
});

const REFUSED: readonly (readonly [string, CloudRoute, string])[] = [
  ["IPv6", routeTo(1, "fd00::/64"), "private networks do not support IPv6"],
  ["a Node without a server", routeTo(9), "hcloud server for node node-9 not found"],
  ["an address that is not the Node's", { ...routeTo(1), targetNodeAddresses: [] }, "IP 10.0.0.2 not part of"],
  ["no range", routeTo(1, "10.244.0.0"), "invalid CIDR address"],
];

for (const [what, route, why] of REFUSED) {
  Deno.test(`a route with ${what} is refused`, async () => {
    const { create, network } = await benchWithRoutes();
    await assertRejects(() => create(route), Error, why);
    assertEquals(network.routes, []);
  });
}

Deno.test("a server outside of the network has no route", async () => {
  const { create, project } = await benchWithRoutes();
  project.addServer("node-5");
  await assertRejects(() => create(routeTo(5)), Error, "not attached to this server");
});

Deno.test("a range outside of the cluster's is told of in an event", async () => {
  const { create, bench, network } = await benchWithRoutes();
  await create(routeTo(1, "192.168.0.0/24"));
  assertEquals(bench.events, [["ClusterCIDRMisconfigured", "node-1"]]);
  assertEquals(network.routes.length, 1);
});

Deno.test("there are no routes without a network, with them switched off, or without --cluster-cidr", async () => {
  const bench = new Bench();
  bench.emulator.project.addNetwork("cluster");
  assertEquals((await bench.open()).routes, undefined);
  const { routes } = await benchWithRoutes({ env: { HCLOUD_NETWORK_ROUTES_ENABLED: "false" } });
  assertEquals(routes, undefined);
  assertEquals((await benchWithRoutes({ clusterCidrs: [] })).routes, undefined);
});

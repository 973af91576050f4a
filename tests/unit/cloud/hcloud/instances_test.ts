import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Node } from "../../../../src/api/mod.ts";
import { InstanceNotFoundError } from "../../../../src/cloud/mod.ts";
import { Bench, type BenchOptions, nodeOf } from "./bench.ts";

async function benchWithServers(options: BenchOptions = {}) {
  const bench = new Bench(options);
  const { project } = bench.emulator;
  const network = project.addNetwork("cluster");
  const servers = ["node-1", "node-2"].map((name, i) => {
    const server = project.addServer(name);
    project.attach(server, network, `10.0.0.${i + 2}`);
    return server;
  });
  const nodes = servers.map((server) => nodeOf(server));
  const { instances } = await bench.open();
  return {
    bench,
    project,
    servers,
    nodes,
    exists: (node: Node) => bench.run(instances!.instanceExists(node, bench.signal)),
    isShutdown: (node: Node) => bench.run(instances!.instanceShutdown(node, bench.signal)),
    metadata: async (node: Node) => (await bench.run(instances!.instanceMetadata(node, bench.signal)))!,
    instances: instances!,
  };
}

const named = (name: string): Node => ({ metadata: { name } });

Deno.test("instanceMetadata tells what is known of a server, found by ID or name", async () => {
  const { metadata, nodes: [node], servers: [server] } = await benchWithServers({ env: { HCLOUD_NETWORK: "cluster" } });
  const expected = {
    providerID: `hcloud://${server.id}`,
    instanceType: "cx22",
    nodeAddresses: [
      { type: "Hostname", address: "node-1" },
      { type: "ExternalIP", address: server.public_net.ipv4.ip },
      { type: "InternalIP", address: "10.0.0.2" },
    ],
    region: "fsn1",
    zone: "fsn1-dc14",
    additionalLabels: { "instance.hetzner.cloud/provided-by": "cloud" },
  };
  assertEquals(await metadata(node), expected);
  assertEquals(await metadata(named("node-1")), expected);
});

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  ipv4: ["198.51.100.7"],
  ipv6: ["2001:db8:7::1"],
  dualstack: ["198.51.100.7", "2001:db8:7::1"],
};

for (const [family, addresses] of Object.entries(FAMILIES)) {
  Deno.test(`HCLOUD_INSTANCES_ADDRESS_FAMILY=${family} gives ${addresses.join(" and ")}`, async () => {
    const env = { HCLOUD_INSTANCES_ADDRESS_FAMILY: family, HCLOUD_INSTANCES_ZONE_LABEL_ENABLED: "false" };
    const { metadata, project } = await benchWithServers({ env });
    const { nodeAddresses, zone } = await metadata(nodeOf(project.addServer("seven", { id: 7 })));
    assertEquals(nodeAddresses!.slice(1).map(({ address }) => address), addresses);
    assertEquals(zone, undefined);
  });
}

Deno.test("a server without public addresses has its name, and a new location is its own zone", async () => {
  const { metadata, project } = await benchWithServers();
  const server = project.addServer("hidden", {
    public_net: { ipv4: null, ipv6: null },
    location: { name: "xyz1" },
  });
  const { nodeAddresses, zone, region } = await metadata(nodeOf(server));
  assertEquals([nodeAddresses, zone, region], [[{ type: "Hostname", address: "hidden" }], "xyz1", "xyz1"]);
});

Deno.test("a server is shut down when it is off, and only then", async () => {
  const { isShutdown, nodes: [node], servers: [server], bench } = await benchWithServers();
  const statuses = ["running", "off", "starting", "stopping", "migrating", "unknown"];
  const shut: string[] = [];
  for (const status of statuses) {
    server.status = status;
    await bench.world.clock.advance(11_000);
    if (await isShutdown(node)) shut.push(status);
  }
  assertEquals(shut, ["off"]);
});

Deno.test("a hundred Nodes cost one request for each fifty servers, and none for ten seconds", async () => {
  const { bench, project, exists } = await benchWithServers();
  const nodes = Array.from({ length: 98 }, (_, i) => nodeOf(project.addServer(`more-${i}`)));
  const before = bench.emulator.seen.length;
  assertEquals(await Promise.all(nodes.map(exists)), nodes.map(() => true));
  await Promise.all(nodes.map(exists));
  assertEquals(bench.emulator.seen.slice(before).map(({ query }) => query), [
    "?page=1&per_page=50",
    "?page=2&per_page=50",
  ]);
});

Deno.test("a server that is newer than the list is found", async () => {
  const { bench, project, exists, nodes: [node], metadata } = await benchWithServers();
  await exists(node);
  await bench.world.clock.advance(3000);
  const server = project.addServer("new");
  assertEquals((await metadata(named("new"))).providerID, `hcloud://${server.id}`);
});

Deno.test("a server that the API calls not found does not exist", async () => {
  const { bench, exists, nodes: [here, gone], servers: [, server], project } = await benchWithServers();
  assertEquals([await exists(here), await exists(gone)], [true, true]);
  project.servers.delete(server.id);
  await bench.world.clock.advance(11_000);
  assertEquals([await exists(here), await exists(gone)], [true, false]);
});

Deno.test("a Node known only by its name has no server if none of that name is listed", async () => {
  const { exists, nodes: [here] } = await benchWithServers();
  assertEquals([await exists(here), await exists(named("node-2")), await exists(named("nobody"))], [true, true, false]);
});

Deno.test("what proves the project may be any Node of the cluster", async () => {
  const { bench, exists, nodes, servers: [, server], project } = await benchWithServers();
  project.servers.delete(server.id);
  await assertRejects(() => exists(nodes[1]), Error, "it may be another project's");
  bench.nodes = nodes;
  assertEquals(await exists(nodes[1]), false);
});

Deno.test("in another project's token every server is in doubt", async () => {
  const { bench, exists, nodes, servers, project } = await benchWithServers({
    env: { HCLOUD_TOKEN_FILE: "/token" },
    files: { "/token": "t".repeat(64) },
  });
  bench.nodes = nodes;
  assertEquals(await exists(nodes[0]), true);
  bench.world.fileContents.set("/token", "u".repeat(64));
  bench.emulator.token = "u".repeat(64);
  for (const { id } of servers) project.servers.delete(id);
  project.addServer("stranger");
  await bench.world.clock.advance(20_000);
  await assertRejects(() => exists(nodes[0]), Error, "it may be another project's");
  await assertRejects(() => exists(named("node-1")), Error, "it may be another project's");
});

/** Ways of a cloud to be unwell, and what the answer is about. */
const UNWELL: Readonly<Record<string, () => Response | Promise<Response>>> = {
  "nothing but 500s": () => new Response("oops", { status: 500 }),
  "a gateway's 404": () => new Response("<html>", { status: 404 }),
  "a 404 with an error of another kind": () => Response.json({ error: { code: "gone", message: "" } }, { status: 404 }),
  "an expired token": () => Response.json({ error: { code: "unauthorized", message: "no" } }, { status: 401 }),
  "half an answer": () => new Response('{"servers": [{"id": 1, "na'),
  "no list": () => Response.json({}),
  "a list without pages": () => Response.json({ servers: [] }),
  "an empty list": () =>
    Response.json({ servers: [], meta: { pagination: { page: 1, next_page: null, total_entries: 0 } } }),
  "fewer servers than promised": () =>
    Response.json({ servers: [], meta: { pagination: { page: 1, next_page: null, total_entries: 2 } } }),
  "pages without end": () => Response.json({ servers: [], meta: { pagination: { page: 1, next_page: 1 } } }),
  "a list of a hundred thousand": () => Response.json({ servers: Array(100_000).fill(0) }),
  "a null": () => Response.json(null),
  "a redirect": () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example" } }),
  "an endless answer": () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1 << 20)) })),
  "an answer that never comes": () => new Promise<Response>(() => {}),
  "an answer that never ends": () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
};

for (const [what, answer] of Object.entries(UNWELL)) {
  Deno.test(`a cloud with ${what} has no server missing`, async () => {
    const { bench, exists, nodes, isShutdown } = await benchWithServers();
    assertEquals(await exists(nodes[0]), true);
    await bench.world.clock.advance(20_000);
    bench.emulator.interfere = () => answer();
    for (const node of [nodes[0], nodes[1], named("node-1"), named("nobody")]) {
      await assertRejects(() => exists(node));
    }
    await assertRejects(() => isShutdown(nodes[0]));
    bench.emulator.interfere = undefined;
    await bench.world.clock.advance(20_000);
    assertEquals(await exists(nodes[0]), true);
  });
}

for (const mode of ["one", "off"]) {
  Deno.test(`HCLOUD_SERVER_CACHE_MODE=${mode} asks for one server at a time, and still confirms`, async () => {
    const { bench, exists, nodes, project, servers, instances } = await benchWithServers({
      env: { HCLOUD_SERVER_CACHE_MODE: mode },
    });
    const calls = () => bench.calls(() => instances.instanceExists(nodes[0], bench.signal));
    assertEquals(await calls(), [`GET /servers/${servers[0].id}`]);
    assertEquals((await calls()).length, mode === "one" ? 0 : 1);
    project.servers.delete(servers[1].id);
    assertEquals(await exists(nodes[1]), false);
  });
}

const FOREIGN = {
  "aws:///a/i-1": "does not begin with hcloud://",
  "hrobot://7": "dedicated server",
  "hcloud://bm-7": "dedicated server",
};
for (
  const [providerID, why] of Object.entries({
    ...FOREIGN,
    "hcloud://": "missing a serverID",
    "hcloud://x1": "unable to parse",
  })
) {
  Deno.test(`nothing is said of the machine ${providerID}`, async () => {
    const { exists, metadata, isShutdown, bench } = await benchWithServers();
    const node: Node = { metadata: { name: "node-1" }, spec: { providerID } };
    const before = bench.emulator.seen.length;
    for (const ask of [exists, metadata, isShutdown]) {
      await assertRejects(() => ask(node) as Promise<unknown>, Error, why);
    }
    assertEquals(bench.emulator.seen.length, before);
  });
}

Deno.test("a server that does not exist has no metadata, which is an error with that meaning", async () => {
  const { metadata, isShutdown, bench, nodes } = await benchWithServers();
  const gone = { ...named("x"), spec: { providerID: "hcloud://99999" } };
  await assertRejects(() => metadata(gone), Error, "cannot tell whether server 99999 exists");
  bench.nodes = nodes;
  await assertRejects(
    () => metadata(named("nobody")),
    InstanceNotFoundError,
    'a server called "nobody" is not in the project',
  );
  await assertRejects(() => isShutdown(gone), InstanceNotFoundError, "server 99999");
});

Deno.test("half an hour of 500s, with a hundred Nodes that are not ready, costs a bounded number of requests and no Node", async () => {
  const { bench, project, instances } = await benchWithServers();
  const nodes = Array.from({ length: 98 }, (_, i) => nodeOf(project.addServer(`more-${i}`)));
  bench.emulator.interfere = () => new Response("oops", { status: 500 });
  const before = bench.emulator.seen.length;
  const startMs = bench.world.clock.monotonicMs();
  const answers: (boolean | "unknown")[] = [];
  while (bench.world.clock.monotonicMs() - startMs < 30 * 60_000) {
    // As the controller does: one after the other.
    for (const node of nodes) {
      answers.push(await bench.run(instances.instanceExists(node, bench.signal).catch(() => "unknown" as const)));
    }
    await bench.world.clock.advance(5000);
  }
  const requests = bench.emulator.seen.length - before;
  assertEquals(new Set(answers), new Set(["unknown"]));
  assert(requests < 1800, `${requests} requests, where the limit is 3600 an hour`);
  bench.emulator.interfere = undefined;
  await bench.world.clock.advance(5000);
  for (const node of nodes) assert(await bench.run(instances.instanceExists(node, bench.signal)));
});

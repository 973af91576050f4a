import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Node, Service } from "../../../../src/api/mod.ts";
import { RetryError } from "../../../../src/cloud/mod.ts";
import type { Thing } from "../../../emulators/hcloud/state.ts";
import { Bench, type BenchOptions, nodeOf, serviceOf } from "./bench.ts";

const UID_LABEL = "hcloud-ccm/service-uid";

async function benchWithServers(options: BenchOptions = {}) {
  const bench = new Bench(options);
  const { project } = bench.emulator;
  const network = project.addNetwork("cluster");
  const servers = ["node-1", "node-2"].map((name, i) => {
    const server = project.addServer(name);
    project.attach(server, network, `10.0.0.${i + 2}`);
    return server;
  });
  const provider = await bench.open();
  const balancers = provider.loadBalancers!;
  const nodes = servers.map((server) => nodeOf(server));
  return {
    bench,
    project,
    network,
    servers,
    nodes,
    balancers,
    ensure: (service: Service, to: readonly Node[] = nodes) =>
      bench.run(balancers.ensureLoadBalancer("kubernetes", service, to, bench.signal)),
    writesOf: (service: Service, to: readonly Node[] = nodes) =>
      bench.writes(() => balancers.ensureLoadBalancer("kubernetes", service, to, bench.signal)),
    remove: (service: Service) => bench.run(balancers.ensureLoadBalancerDeleted("kubernetes", service, bench.signal)),
    get: (service: Service) => bench.run(balancers.getLoadBalancer("kubernetes", service, bench.signal)),
    only: (): Thing => [...project.balancers.values()][0],
  };
}

Deno.test("ensureLoadBalancer makes a balancer with label, port and targets, one call each, and then writes nothing", async () => {
  const { ensure, writesOf, only, servers, project } = await benchWithServers({ actionMs: 700 });
  const service = serviceOf();
  const writes = await writesOf(service);
  assertEquals(writes, ["POST /load_balancers", "POST add_service", "POST add_target", "POST add_target"]);
  const balancer = only();
  assertEquals(balancer.name, "a5f0c0000000000000000web");
  assertEquals(balancer.labels, { [UID_LABEL]: service.metadata!.uid });
  assertEquals(
    balancer.services.map((
      { listen_port, destination_port, health_check }: Thing,
    ) => [listen_port, destination_port, health_check.protocol, health_check.port]),
    [[80, 30080, "tcp", 30080]],
  );
  assertEquals(
    balancer.targets.map(({ server, use_private_ip }: Thing) => [server.id, use_private_ip]),
    servers.map(({ id }) => [id, false]),
  );
  assertEquals(await writesOf(service), []);
  assertEquals(await ensure(service), {
    ingress: [
      { ip: balancer.public_net.ipv4.ip, ipMode: "VIP" },
      { ip: balancer.public_net.ipv6.ip, ipMode: "VIP" },
    ],
  });
  assertEquals(project.balancers.size, 1);
});

const EVERYTHING = {
  "algorithm-type": "Least_Connections",
  "health-check-http-domain": "example.com",
  "health-check-http-path": "/up",
  "health-check-http-validate-certificate": "true",
  "health-check-interval": "7s",
  "health-check-port": "31000",
  "health-check-protocol": "https",
  "health-check-retries": "4",
  "health-check-timeout": "5s",
  "http-certificates": "mine",
  "http-cookie-lifetime": "5m",
  "http-cookie-name": "taste",
  "http-redirect-http": "true",
  "http-status-codes": "200,3??",
  "http-sticky-sessions": "1",
  "http-timeout-idle": "90s",
  "ipv4-rdns": "four.example.com",
  "ipv6-rdns": "six.example.com",
  "name": "front-door",
  "private-ipv4": "10.0.9.9",
  "protocol": "HTTPS",
  "type": "lb21",
  "use-private-ip": "true",
  "uses-proxyprotocol": "true",
};

Deno.test("ensureLoadBalancer does all that annotations say, and nothing twice", async () => {
  const { writesOf, ensure, only, project, network } = await benchWithServers({ env: { HCLOUD_NETWORK: "cluster" } });
  const certificate = project.addCertificate("mine");
  const service = serviceOf(EVERYTHING, { ports: [{ port: 443, nodePort: 30443, protocol: "TCP" }] });
  const status = await ensure(service);
  const balancer = only();
  assertEquals([balancer.name, balancer.algorithm.type, balancer.load_balancer_type.name], [
    "front-door",
    "least_connections",
    "lb21",
  ]);
  assertEquals([balancer.public_net.ipv4.dns_ptr, balancer.public_net.ipv6.dns_ptr], [
    "four.example.com",
    "six.example.com",
  ]);
  assertEquals(balancer.private_net, [{ network: network.id, ip: "10.0.9.9" }]);
  assertEquals(balancer.targets.map(({ use_private_ip }: Thing) => use_private_ip), [true, true]);
  const [{ http, health_check, protocol, proxyprotocol }] = balancer.services;
  assertEquals([protocol, proxyprotocol], ["https", true]);
  assertEquals(http, {
    cookie_name: "taste",
    cookie_lifetime: 300,
    certificates: [certificate.id],
    redirect_http: true,
    sticky_sessions: true,
    timeout_idle: 90,
  });
  assertEquals(health_check, {
    protocol: "https",
    port: 31000,
    interval: 7,
    timeout: 5,
    retries: 4,
    http: { domain: "example.com", path: "/up", response: "", status_codes: ["200", "3??"], tls: true },
  });
  assertEquals(status.ingress?.map(({ ip, ipMode }) => [ip, ipMode]), [
    [balancer.public_net.ipv4.ip, "Proxy"],
    [balancer.public_net.ipv6.ip, "Proxy"],
    ["10.0.9.9", "Proxy"],
  ]);
  assertEquals(await writesOf(service), []);
});

/** An annotation that changes, and the only writes that it may cause. */
const DIFFERENCES: readonly (readonly [Record<string, string>, readonly string[]])[] = [
  [{ name: "new" }, ["PUT /load_balancers/ID"]],
  [{ "algorithm-type": "least_connections" }, ["POST change_algorithm"]],
  [{ type: "lb21" }, ["POST change_type"]],
  [{ "ipv4-rdns": "a.example" }, ["POST change_dns_ptr"]],
  [{ "ipv6-rdns": "a.example" }, ["POST change_dns_ptr"]],
  [{ "disable-public-network": "true" }, ["POST disable_public_interface"]],
  [{ "uses-proxyprotocol": "true" }, ["POST update_service"]],
  [{ "health-check-interval": "9s" }, ["POST update_service"]],
  [{ protocol: "http" }, ["POST update_service"]],
  [{ "private-ipv4": "10.0.7.7" }, ["POST detach_from_network", "POST attach_to_network"]],
  [{ "use-private-ip": "true" }, ["POST remove_target", "POST remove_target", "POST add_target", "POST add_target"]],
  [{ "node-selector": "zone in (b)" }, ["POST remove_target"]],
  [{ location: "hel1" }, []],
  [{ "ipv6-disabled": "true" }, []],
  [{ hostname: "www.example.com" }, []],
  [{ "http-cookie-name": "of-no-use-to-tcp" }, []],
];

for (const [annotations, writes] of DIFFERENCES) {
  Deno.test(`ensureLoadBalancer writes ${writes.join(", ") || "nothing"} for ${JSON.stringify(annotations)}`, async () => {
    const { ensure, writesOf, servers } = await benchWithServers({ env: { HCLOUD_NETWORK: "cluster" } });
    const nodes = servers.map((server, i) => nodeOf(server, { zone: "ab"[i] }));
    await ensure(serviceOf(), nodes);
    const changed = serviceOf(annotations);
    assertEquals((await writesOf(changed, nodes)).map((write) => write.replace(/\d+$/, "ID")), writes);
    assertEquals(await writesOf(changed, nodes), []);
  });
}

Deno.test("ensureLoadBalancer follows ports: one call for each that comes, changes or goes", async () => {
  const { ensure, writesOf, only } = await benchWithServers();
  const port = (port: number, nodePort: number) => ({ port, nodePort, protocol: "TCP" });
  await ensure(serviceOf({}, { ports: [port(80, 30080), port(81, 30081), port(82, 30082)] }));
  const writes = await writesOf(serviceOf({}, { ports: [port(80, 30080), port(82, 30999), port(83, 30083)] }));
  assertEquals(writes, ["POST update_service", "POST add_service", "POST delete_service"]);
  assertEquals(only().services.map(({ listen_port }: Thing) => listen_port), [80, 82, 83]);
});

Deno.test("ensureLoadBalancer removes ports first where the balancer's type has no room for the new ones beside them", async () => {
  const { ensure, writesOf, only } = await benchWithServers();
  const ports = (...numbers: number[]) => numbers.map((port) => ({ port, nodePort: 30000 + port, protocol: "TCP" }));
  await ensure(serviceOf({ type: "lb11" }, { ports: ports(80, 81, 82) }));
  const [gone, come] = ["POST delete_service", "POST add_service"];
  const writes = await writesOf(serviceOf({ type: "lb11" }, { ports: ports(82, 83, 84, 85, 86) }));
  assertEquals(writes, [gone, gone, come, come, come, come]);
  assertEquals(only().services.map(({ listen_port }: Thing) => listen_port), [82, 83, 84, 85, 86]);
});

Deno.test("a UDP port is told of in an event and left out", async () => {
  const { ensure, only, bench } = await benchWithServers();
  await ensure(serviceOf({}, {
    ports: [{ port: 53, nodePort: 30053, protocol: "UDP" }, { port: 53, nodePort: 30054, protocol: "TCP" }],
  }));
  assertEquals(only().services.map(({ destination_port }: Thing) => destination_port), [30054]);
  assertEquals(bench.events, [["UnsupportedProtocolConfigured", "web"]]);
});

Deno.test("updateLoadBalancer writes only targets where only Nodes came and went", async () => {
  const { bench, ensure, balancers, nodes, only, servers } = await benchWithServers();
  const service = serviceOf();
  await ensure(service, nodes.slice(0, 1));
  const update = (to: readonly Node[]) => () => balancers.updateLoadBalancer("kubernetes", service, to, bench.signal);
  assertEquals(await bench.writes(update(nodes.slice(1))), ["POST remove_target", "POST add_target"]);
  assertEquals(only().targets.map(({ server }: Thing) => server.id), [servers[1].id]);
  assertEquals(await bench.writes(update(nodes.slice(1))), []);
});

Deno.test("updateLoadBalancer makes no balancer", async () => {
  const { bench, balancers, nodes, project } = await benchWithServers();
  await bench.run(balancers.updateLoadBalancer("kubernetes", serviceOf(), nodes, bench.signal));
  assertEquals(project.balancers.size, 0);
});

Deno.test("Nodes that are not servers are left out: foreign ones with an event, dedicated ones without", async () => {
  const { bench, ensure, nodes, only } = await benchWithServers();
  const others = ["aws:///a/i-1", "hrobot://7", "hcloud://bm-8", ""].map((providerID, i): Node => ({
    metadata: { name: `other-${i}` },
    spec: { providerID },
  }));
  await ensure(serviceOf(), [...others, nodes[0]]);
  assertEquals(only().targets.length, 1);
  assertEquals(bench.events, [["UnknownProviderIDPrefix", "other-0"], ["UnknownProviderIDPrefix", "other-3"]]);
});

Deno.test("servers beyond the type's limit are told of in events", async () => {
  const { bench, project, ensure, only } = await benchWithServers();
  const many = Array.from({ length: 27 }, (_, i) => nodeOf(project.addServer(`more-${i}`)));
  await ensure(serviceOf(), many);
  assertEquals(only().targets.length, 25);
  assertEquals(bench.events, [["MaxTargetsReached", "more-25"], ["MaxTargetsReached", "more-26"]]);
});

Deno.test("a balancer without a label is taken over by its name, and keeps its other labels", async () => {
  const { project, writesOf, only } = await benchWithServers();
  project.addBalancer("by-hand", { labels: { team: "web" } });
  const service = serviceOf({ name: "by-hand" });
  assertEquals((await writesOf(service))[0], `PUT /load_balancers/${only().id}`);
  assertEquals(only().labels, { team: "web", [UID_LABEL]: service.metadata!.uid });
  assertEquals(project.balancers.size, 1);
});

Deno.test("a balancer of another Service is refused, whatever name is asked for", async () => {
  const { project, ensure, only, bench } = await benchWithServers();
  await ensure(serviceOf({ name: "shop" }));
  const before = structuredClone(only());
  const error = await assertRejects(() => ensure(serviceOf({ name: "shop" }, { name: "thief" })));
  assertStringIncludes(String(error), "is the Service's with UID");
  assertEquals(only(), before);
  assertEquals(project.balancers.size, 1);
  assertEquals(bench.events, []);
});

Deno.test("foreign targets by labels, and other balancers, are left alone", async () => {
  const { project, ensure, remove, only } = await benchWithServers();
  const foreign = project.addBalancer("foreign", { labels: { [UID_LABEL]: "somebody" } });
  const before = structuredClone(foreign);
  const service = serviceOf({ name: "mine" });
  project.balancers.clear();
  await ensure(service);
  only().targets.push({ type: "label_selector", label_selector: { selector: "a=b" } }, {
    type: "ip",
    ip: { ip: "192.0.2.1" },
  });
  project.balancers.set(foreign.id, foreign);
  await ensure(service);
  assertEquals(only().targets.map(({ type }: Thing) => type), ["server", "server", "label_selector"]);
  await remove(service);
  assertEquals([...project.balancers.values()], [before]);
});

Deno.test("ensureLoadBalancerDeleted deletes once, and keeps what is protected without a write", async () => {
  const { bench, ensure, remove, only, project, get } = await benchWithServers();
  const service = serviceOf();
  await ensure(service);
  only().protection.delete = true;
  const writes = bench.emulator.writes.length;
  await remove(service);
  assertEquals([project.balancers.size, bench.emulator.writes.length - writes], [1, 0]);
  only().protection.delete = false;
  await remove(service);
  await remove(service);
  assertEquals([project.balancers.size, bench.emulator.writes.length - writes], [0, 1]);
  assertEquals(await get(service), null);
});

Deno.test("a balancer that only its name shows is in doubt: the Service keeps its finalizer", async () => {
  const { bench, ensure, get, remove, project } = await benchWithServers();
  const service = serviceOf();
  await ensure(service);
  const meta = { pagination: { page: 1, next_page: null, total_entries: 0 } };
  bench.emulator.interfere = ({ query }) =>
    query.includes("label_selector") ? Response.json({ load_balancers: [], meta }) : undefined;
  await assertRejects(() => get(service), Error, "is not found by it");
  await assertRejects(() => remove(service), Error, "is not found by it");
  assertEquals(project.balancers.size, 1);
});

Deno.test("two balancers with the Service's label are an error that names both", async () => {
  const { project, ensure } = await benchWithServers();
  const labels = { [UID_LABEL]: serviceOf().metadata!.uid };
  const ids = ["a", "b"].map((name) => project.addBalancer(name, { labels }).id);
  await assertRejects(() => ensure(serviceOf()), Error, `load balancers ${ids.join(", ")} all have the label`);
});

const WRONG: Readonly<Record<string, string>> = {
  "algorithm-type": "random",
  "disable-private-ingress": "perhaps",
  "disable-public-network": "",
  "health-check-interval": "15",
  "health-check-port": "http",
  "health-check-protocol": "udp",
  "health-check-retries": "1.5",
  "http-cookie-lifetime": "300",
  "http-redirect-http": "yes",
  "ipv6-disabled": "no!",
  "node-selector": "a in",
  "private-ipv4": "10.0.0",
  "private-subnet-ip-range": "10.0.0.0",
  "protocol": "udp",
  "type": "lb99",
  "use-private-ip": "true",
  "uses-proxyprotocol": "2",
};

for (const [name, value] of Object.entries(WRONG)) {
  Deno.test(`the annotation ${name}=${JSON.stringify(value)} is an error, and nothing is made`, async () => {
    const { ensure, project, bench } = await benchWithServers();
    await assertRejects(() => ensure(serviceOf({ [name]: value })), Error, name === "type" ? value : name);
    assertEquals([project.balancers.size, bench.emulator.writes.length], [0, 0]);
  });
}

Deno.test("a managed certificate is made once, and kept", async () => {
  const { ensure, writesOf, project, only, remove } = await benchWithServers();
  const service = serviceOf({
    "protocol": "https",
    "certificate-type": "managed",
    "http-managed-certificate-domains": "example.com,www.example.com",
  });
  await ensure(service);
  const [certificate] = project.certificates.values();
  assertEquals(certificate.name, `ccm-managed-certificate-${service.metadata!.uid}`);
  assertEquals(certificate.domain_names, ["example.com", "www.example.com"]);
  assertEquals(only().services[0].http.certificates, [certificate.id]);
  assertEquals(await writesOf(service), []);
  await remove(service);
  assertEquals(project.certificates.size, 1);
});

Deno.test("a locked balancer is tried again soon, and a failed action is an error", async () => {
  const { bench, ensure, project, only } = await benchWithServers();
  const service = serviceOf();
  await ensure(service);
  const lock = `load_balancers/${only().id}`;
  project.pending.push({ action: {}, doneAtMs: Infinity, lock, error: undefined, effect: () => {} });
  const error = await assertRejects(() => ensure(serviceOf({ type: "lb21" })), RetryError);
  assertEquals(error.afterMs, 5000);
  project.pending = [];
  bench.emulator.failAction = () => ({ code: "action_failed", message: "no luck" });
  await assertRejects(
    () => ensure(serviceOf({ type: "lb21" })),
    Error,
    "change_type failed: no luck (action_failed, action",
  );
});

Deno.test("without a place for it no balancer is made", async () => {
  const { ensure, project } = await benchWithServers({ env: { HCLOUD_LOAD_BALANCERS_LOCATION: "" } });
  await assertRejects(() => ensure(serviceOf()), Error, "neither load-balancer.hetzner.cloud/location nor");
  assertEquals(project.balancers.size, 0);
  await ensure(serviceOf({ "network-zone": "eu-central" }));
  assertEquals(project.balancers.size, 1);
});

Deno.test("a Service whose annotations became unreadable still has its balancer, which can be deleted", async () => {
  const { ensure, get, remove, project } = await benchWithServers();
  const loadBalancer = await ensure(serviceOf());
  const broken = { ...serviceOf({ "ipv6-disabled": "hm" }), status: { loadBalancer } };
  assertEquals(await get(broken), loadBalancer);
  await remove(broken);
  assertEquals(project.balancers.size, 0);
});

Deno.test("a balancer that is missing in another project is in doubt, and none is made there", async () => {
  const { ensure, get, remove, project, bench, nodes } = await benchWithServers();
  const gone = { ...serviceOf(), status: { loadBalancer: { ingress: [{ ip: "203.0.113.1" }] } } };
  for (const ask of [ensure, get, remove]) {
    await assertRejects(() => ask(gone) as Promise<unknown>, Error, "another project's");
  }
  assertEquals([project.balancers.size, bench.emulator.writes.length], [0, 0]);
  bench.nodes = nodes;
  assertEquals(await get(gone), null);
  await remove(gone);
  await ensure(gone);
  assertEquals(project.balancers.size, 1);
});

import { DEPLOYMENTS, REPLICASETS } from "../../../src/api/mod.ts";
import { CONTROLLERS, needsOf } from "../../../src/controllers/mod.ts";
import { OpenSupplies } from "../../../src/manager/mod.ts";
import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { type Transport, TransportClientBuilder } from "../../../src/client/mod.ts";
import { SharedFence } from "../../../src/election/mod.ts";
import { Health } from "../../../src/manager/health.ts";
import { managerFlags, managerOptions } from "../../../src/manager/mod.ts";
import { SingleThread } from "../../../src/manager/single_thread.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";

function setUp() {
  const world = new FakeWorld();
  const api = createApiServer({ world });
  const server = "http://api";
  const state = { isForbidden: false };
  const transport: Transport = (request) =>
    state.isForbidden && request.url.includes("/replicasets")
      ? Promise.resolve(Response.json({ kind: "Status", code: 403, reason: "Forbidden" }, { status: 403 }))
      : api.fetch(request);
  const clients = new TransportClientBuilder({
    program: "kube-controller-manager",
    world,
    transport,
    server,
    qps: -1,
    burst: 0,
  });
  const health = new Health();
  const thread = new SingleThread({
    world,
    options: managerOptions(managerFlags(["--controllers=deployment-controller,namespace-controller"])),
    rows: CONTROLLERS.filter(({ name }) => ["deployment-controller", "namespace-controller"].includes(name)),
    supplies: new OpenSupplies(world, needsOf([])),
    clients: {
      controllers: clients,
      election: clients.client("leader-election"),
      access: { transport: () => transport },
      server,
      log: () => {},
    },
    metrics: new MetricsRegistry(),
    health,
    fence: new SharedFence(),
    verbosity: () => 0,
  });
  return { world, api, state, clients, health, thread };
}

Deno.test("SingleThread, a Workforce: run fills the caches; controllers work from lead on", async () => {
  const { world, api, clients, thread } = setUp();
  const client = clients.client("test");
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const metadata = { name: "web", namespace: "default" };
  await client.create(DEPLOYMENTS, { metadata, spec: { selector: { matchLabels: labels }, template } });
  const stop = new AbortController();
  const running = thread.run(stop.signal);
  const replicaSets = async () => (await client.list(REPLICASETS)).items.length;
  await world.clock.advance(10_000);
  assertEquals([api.openWatches > 0, await replicaSets()], [true, 0]);
  thread.lead();
  await world.clock.advance(10_000);
  assertEquals(await replicaSets(), 1);
  stop.abort();
  await world.clock.advance(0);
  await running;
  api.close();
});

Deno.test("SingleThread has no controller ready before all caches are filled, and, as of a Workforce, run resolves with whether all ended well", async () => {
  const { world, api, state, health, thread } = setUp();
  state.isForbidden = true;
  const stop = new AbortController();
  const running = thread.run(stop.signal);
  thread.lead();
  await world.clock.advance(10_000);
  const reason = "its caches are not filled yet";
  assertEquals(health.readiness(), [
    { name: "deployment-controller", reason },
    { name: "namespace-controller", reason },
  ]);
  assertEquals(health.failures(), [], "a restart would not help");
  state.isForbidden = false;
  await world.clock.advance(120_000);
  assertEquals(health.readiness().map((each) => each.reason), [undefined, undefined]);
  stop.abort();
  await world.clock.advance(0);
  assertEquals(await running, true);
  api.close();
  assertEquals(world.clock.pendingTimers, 0);
});

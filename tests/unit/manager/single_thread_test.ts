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

Deno.test("SingleThread has no controller ready before all caches are filled", async () => {
  const world = new FakeWorld();
  const api = createApiServer({ world });
  const server = "http://api";
  let isForbidden = true;
  const transport: Transport = (request) =>
    isForbidden && request.url.includes("/replicasets")
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
  const stop = new AbortController();
  const running = thread.run(stop.signal);
  thread.lead();
  await world.clock.advance(10_000);
  const reason = "its caches are not filled yet";
  assertEquals(health.readiness(), [
    { name: "namespace-controller", reason },
    { name: "deployment-controller", reason },
  ]);
  assertEquals(health.failures(), [], "a restart would not help");
  isForbidden = false;
  await world.clock.advance(120_000);
  assertEquals(health.readiness().map((each) => each.reason), [undefined, undefined]);
  stop.abort();
  await world.clock.advance(0);
  assertEquals(await running, true);
  api.close();
  assertEquals(world.clock.pendingTimers, 0);
});

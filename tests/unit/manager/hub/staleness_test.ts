import { assert, assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry, parseMetrics } from "../../../../src/base/mod.ts";
import { CONFIGMAPS } from "../../../../src/api/mod.ts";
import { ReflectorSource } from "../../../../src/cache/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { WatchHub } from "../../../../src/manager/hub/mod.ts";
import { createApiServer } from "../../../../src/sandbox/mod.ts";

Deno.test("WatchHub: a watch that falls silent is seen to be stale also after somebody came late, or left", async () => {
  const world = new FakeWorld();
  const server = createApiServer({ world });
  const metrics = new MetricsRegistry();
  const client = new Client({ world, transport: (r) => server.fetch(r), server: "http://127.0.0.1", userAgent: "t" });
  const hub = new WatchHub({
    world,
    metrics,
    source: (topic) => new ReflectorSource({ world, client, metrics, ...topic }),
  });
  const subscribe = (metadataOnly: boolean) => {
    const connection = hub.connect("g", { postMessage: () => {} });
    connection.receive({ stream: 1, what: "subscribe", topic: { resource: CONFIGMAPS, metadataOnly } });
    return connection;
  };
  const staleSeconds = () =>
    parseMetrics(metrics.render()).find(({ name }) => name === "kubeloop_reflector_staleness_seconds")!.samples
      .map(({ value }) => value);
  const early = subscribe(true); // has a watch of its own, since nobody reads whole objects yet
  subscribe(false);
  await world.clock.advance(1000);
  subscribe(false);
  await world.clock.advance(1000);
  early.close();
  await world.clock.advance(1000);
  await world.clock.advance(20_000);
  const [seconds, ...others] = staleSeconds();
  assert(seconds >= 20, `${seconds} s, although nothing happened in 20 s`);
  assertEquals(others, []);
  const ended = hub.shutDown();
  await world.clock.advance(0);
  await ended;
  assertEquals(staleSeconds(), [0]);
  server.close();
});

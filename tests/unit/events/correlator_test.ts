import { assertEquals } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { EventBroadcaster } from "../../../src/events/mod.ts";
import { FakeEventApi } from "./fake_client.ts";

const SET = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "default", name: "web", uid: "u1" } };

/** A broadcaster that runs, and what it wrote as `VERB count message`. */
function setUp() {
  const world = new FakeWorld();
  const api = new FakeEventApi();
  const metrics = new MetricsRegistry();
  const broadcaster = new EventBroadcaster({ world, client: api.client, metrics });
  const stop = new AbortController();
  const running = broadcaster.run(stop.signal);
  const recorder = broadcaster.recorder("replicaset-controller");
  const created = async (message: string, { object = SET, reason = "SuccessfulCreate" } = {}) => {
    recorder.event(object, "Normal", reason, message);
    await world.clock.advance(0);
  };
  const written = () => api.writes.map(({ verb, body }) => `${verb} ${body.count} ${body.message}`);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { world, api, metrics, broadcaster, created, written, end };
}

Deno.test("EventCorrelator: the tenth different message about the same thing within ten minutes, and those after it, become one event", async () => {
  const { api, created, written, end } = setUp();
  for (let i = 1; i <= 14; i++) await created(`Created pod: web-${i}`);
  assertEquals(written(), [
    ...Array.from({ length: 9 }, (_, i) => `POST 1 Created pod: web-${i + 1}`),
    "POST 1 (combined from similar events): Created pod: web-10",
    ...[11, 12, 13, 14].map((i) => `PATCH ${i - 9} (combined from similar events): Created pod: web-${i}`),
  ]);
  assertEquals(api.events.size, 10);
  const combined = [...api.events.values()].at(-1)!;
  assertEquals([combined.count, combined.reportingComponent, combined.source?.component], [
    5,
    "",
    "replicaset-controller",
  ]);
  await end();
});

Deno.test("EventCorrelator begins to count messages anew after more than ten minutes without any", async () => {
  for (const [pauseMs, combined] of [[600_000, true], [600_001, false]] as const) {
    const { world, created, written, end } = setUp();
    for (let i = 0; i < 9; i++) await created(`${i}`);
    await world.clock.advance(pauseMs);
    await created("9");
    assertEquals(written().at(-1), combined ? "POST 1 (combined from similar events): 9" : "POST 1 9");
    await end();
  }
});

Deno.test("EventCorrelator tells apart reasons, objects and components", async () => {
  const { broadcaster, world, created, written, end } = setUp();
  for (let i = 0; i < 5; i++) {
    await created(`${i}`);
    await created(`${i}`, { reason: "SuccessfulDelete" });
    await created(`${i}`, { object: { ...SET, metadata: { ...SET.metadata, uid: "u2" } } });
    broadcaster.recorder("other").event(SET, "Normal", "SuccessfulCreate", `${i}`);
    await world.clock.advance(0);
  }
  assertEquals(written().filter((line) => !line.startsWith("POST 1 ") || line.includes("combined")), []);
  await end();
});

Deno.test("EventCorrelator: an event that comes again keeps its name and its first time, and counts one more", async () => {
  const { world, api, created, end } = setUp();
  await created("same");
  await world.clock.advance(90_000);
  await created("same");
  assertEquals(api.writes.map(({ verb }) => verb), ["POST", "PATCH"]);
  assertEquals(api.writes[1].name, api.writes[0].name);
  assertEquals(api.writes[1].body as unknown, { count: 2, lastTimestamp: "2026-01-01T00:01:30Z", message: "same" });
  const [event] = api.events.values();
  assertEquals([event.firstTimestamp, event.lastTimestamp], ["2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"]);
  await end();
});

Deno.test("EventCorrelator: of one source about one object, after 25 events at once only one in five minutes is written; the others still count", async () => {
  const { world, metrics, created, written, end } = setUp();
  for (let i = 0; i < 30; i++) {
    await created("same");
    await world.clock.advance(2000);
  }
  assertEquals(written(), ["POST 1 same", ...Array.from({ length: 24 }, (_, i) => `PATCH ${i + 2} same`)]);
  await created("same");
  assertEquals(written().length, 25);
  await world.clock.advance(300_000);
  await created("same");
  await created("same");
  assertEquals(written().slice(25), ["PATCH 32 same"]);
  assertEquals(metrics.render().includes('kubeloop_events_dropped_total{reason="spam"} 7\n'), true);
  await created("other object", { object: { ...SET, metadata: { ...SET.metadata, uid: "u2" } } });
  assertEquals(written().at(-1), "POST 1 other object");
  await end();
});

Deno.test("EventCorrelator: no more than 4096 entries of each kind are remembered", async () => {
  const { world, created, written, end } = setUp();
  const object = (i: number) => ({ ...SET, metadata: { ...SET.metadata, uid: `${i}` } });
  await created("m", { object: object(0) });
  for (let i = 1; i < 4096; i++) await created("m", { object: object(i) });
  await created("m", { object: object(0) });
  assertEquals(written().at(-1), "PATCH 2 m");
  for (let i = 5000; i < 5000 + 4096; i++) await created("m", { object: object(i) });
  await created("m", { object: object(0) });
  assertEquals(written().at(-1), "POST 1 m");
  await world.clock.advance(0);
  await end();
});

import { assert, assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { EventBroadcaster } from "../../../src/events/mod.ts";
import { FakeEventApi, refusal } from "./fake_client.ts";

const POD = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "default", name: "web-0", uid: "u1" } };

function setUp() {
  const world = new FakeWorld();
  const api = new FakeEventApi();
  const tries: number[] = [];
  let failure: Error | undefined;
  api.before = () => {
    tries.push(world.clock.monotonicMs());
    if (failure) throw failure;
  };
  const broadcaster = new EventBroadcaster({ world, client: api.client });
  const stop = new AbortController();
  const running = broadcaster.run(stop.signal);
  const record = async (message = "m") => {
    broadcaster.recorder("test", { verbosity: 9 }).event(POD, "Warning", "Failed", message);
    await world.clock.advance(0);
  };
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  const fail = (error: Error | undefined) => void (failure = error);
  const log = () => world.log.lines.filter((line) => line.message !== "Event occurred");
  return { world, api, tries, record, end, fail, log };
}

Deno.test("EventWriter: a first event is created; a repeated one is patched, and created if it is gone, under the same name", async () => {
  const { api, record, end } = setUp();
  await record();
  api.events.clear();
  await record();
  assertEquals(api.writes.map(({ verb }) => verb), ["POST", "PATCH", "POST"]);
  assertEquals(new Set(api.writes.map(({ name }) => name)).size, 1);
  assertEquals(api.writes[2].body.count, 2);
  assertEquals(api.writes[2].body.metadata.resourceVersion, undefined);
  await end();
});

Deno.test("EventWriter: what the server refused is not tried again, and the writer is quiet about a terminating namespace", async () => {
  const cases: [Error, severity: string, verbosity: number][] = [
    [refusal(403, "Forbidden", "NamespaceTerminating"), "info", 5],
    [refusal(409, "AlreadyExists"), "info", 5],
    [refusal(403, "Forbidden"), "error", 0],
    [refusal(500, "InternalError"), "error", 0],
  ];
  for (const [error, severity, verbosity] of cases) {
    const { world, tries, record, end, fail, log } = setUp();
    fail(error);
    await record();
    await world.clock.advance(600_000);
    assertEquals(tries.length, 1);
    assertEquals(log().map((line) => [line.severity, line.verbosity, line.message]), [
      [severity, verbosity, "Server rejected event (will not retry!)"],
    ]);
    await end();
  }
});

Deno.test("EventWriter: nothing is thrown when the server cannot be reached: twelve tries are made, ten seconds apart, and the next event comes", async () => {
  const { world, tries, record, end, fail, log } = setUp();
  fail(new TypeError("connection refused"));
  await record();
  await world.clock.advance(600_000);
  const pauses = tries.slice(1).map((ms, i) => ms - tries[i]);
  assertEquals(tries.length, 12);
  assert(pauses[0] > 0 && pauses[0] < 10_000, `the first pause is random: ${pauses[0]}`);
  assertEquals(pauses.slice(1).map(Math.round), Array(10).fill(10_000));
  assertEquals(log().at(-1)?.message, "Unable to write event (retry limit exceeded!)");
  assertEquals(log().length, 13);
  fail(undefined);
  await record("next");
  assertEquals(tries.length, 13, "goes on with the next event");
  await end();
});

Deno.test("EventWriter writes the event once the server is back", async () => {
  const { world, api, tries, record, end, fail } = setUp();
  fail(new TypeError("connection refused"));
  await record();
  await world.clock.advance(25_000);
  fail(undefined);
  await world.clock.advance(10_000);
  assertEquals(api.writes.length, 1);
  assert(tries.length >= 3);
  await end();
});

Deno.test("EventWriter gives up its pause when the broadcaster ends", async () => {
  const { world, tries, record, end, fail } = setUp();
  fail(new TypeError("connection refused"));
  await record();
  await world.clock.advance(12_000);
  const before = tries.length;
  await end();
  assertEquals(tries.length, before);
});

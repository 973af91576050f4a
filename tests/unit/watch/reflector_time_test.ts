// Deadlines, staleness, and the parameters of requests.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, MetricsRegistry, sleep } from "../../../src/base/mod.ts";
import { Bench, Body, bookmark, errorEvent, event, FakeSink, list, status } from "./fakes.ts";

const MINUTE_MS = 60_000;

Deno.test("Reflector: a stream that falls silent is cut and resumed, without a list; by its WatchOpener: it is cut when it has been silent for idleMs", async () => {
  const body = new Body(bookmark(9, "true"));
  const metrics = new MetricsRegistry();
  await using bench = new Bench({ metrics }, body);
  await bench.pass(2 * MINUTE_MS);
  body.push(bookmark(10));
  await bench.pass(3 * MINUTE_MS - 1);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(1);
  assertEquals(bench.server.asked, ["watchList", "watch rv=10"]);
  assertEquals(body.isCancelled, true);
  assert(/watch_restarts_total{[^}]*reason="silent"} 1/.test(metrics.render()));
});

Deno.test("Reflector by its WatchOpener: it is cut when the server did not close it half a minute after its time, however much comes", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({}, body);
  await bench.pass();
  const timeoutMs = bench.server.requests[0].query.timeoutSeconds! * 1000;
  for (let atMs = 0; atMs < timeoutMs; atMs += 10_000) {
    await bench.pass(10_000);
    body.push(bookmark(10 + atMs));
  }
  assertEquals(bench.server.requests.length, 1);
  await bench.pass(40_000);
  assertEquals(bench.server.requests.length, 2);
  assertEquals(bench.server.requests[1].query.resourceVersion, bench.reflector.lastResourceVersion);
});

Deno.test("Reflector asks again when a watch request is not answered at all, without a list", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({}, body);
  await bench.pass(MINUTE_MS);
  body.close();
  await bench.pass(3 * MINUTE_MS);
  assertEquals(bench.server.asked, ["watchList", "watch rv=9"]);
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "watch rv=9", "watch rv=9"]);
  assertEquals(bench.server.requests[1].signal.aborted, true);
});

Deno.test("Reflector lists when a streaming list falls silent, and lists anew when that does", async () => {
  const silentList = new Body('{"kind":"PodList","items":[');
  await using bench = new Bench({}, new Body(event("ADDED", "a", 1)), silentList);
  await bench.pass(3 * MINUTE_MS);
  assertEquals(bench.server.asked, ["watchList", "list limit=500 rv=0"]);
  await bench.pass(3 * MINUTE_MS + 1600);
  assertEquals(bench.server.asked, ["watchList", "list limit=500 rv=0", "watchList"]);
  assertEquals(silentList.isCancelled, true);
  assertEquals(bench.logged("Failed to watch"), 1);
});

Deno.test("PagedList: a list that is not complete after ten minutes has failed, even if bytes keep coming", async () => {
  const trickle = new Body('{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[');
  await using bench = new Bench({ watchList: false }, trickle);
  for (let minute = 0; minute < 10; minute++) {
    assertEquals(bench.server.asked, ["list limit=500 rv=0"]);
    trickle.push(`{"metadata":{"name":"p${minute}"}},`);
    await bench.pass(MINUTE_MS);
  }
  assertEquals(trickle.isCancelled, true);
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["list limit=500 rv=0", "list limit=500 rv=0"]);
  assertEquals(bench.logged("Failed to watch"), 1);
});

Deno.test("PagedList: a list that is not complete after ten minutes has failed, even if pages keep coming", async () => {
  const world = new FakeWorld();
  let pages = 0;
  const listWatch = {
    list: async (_query: unknown, signal: AbortSignal) => {
      await sleep(world.clock, 1000, signal);
      return list(5, [`p${pages}`], `token${++pages}`).stream;
    },
    watch: () => new Promise<never>(() => {}),
  };
  await using bench = new Bench({ world, listWatch, watchList: false });
  await bench.pass(10 * MINUTE_MS);
  assertEquals([pages, bench.logged("Failed to watch")], [600, 1]);
});

Deno.test("Reflector: stalenessMs says for how long the server has said nothing, and is exported", async () => {
  const body = new Body(bookmark(9, "true"));
  const metrics = new MetricsRegistry();
  await using bench = new Bench({ metrics, name: "test" }, body);
  await bench.pass(50_000);
  assertEquals(bench.reflector.stalenessMs, 50_000);
  const series = 'kubeloop_reflector_staleness_seconds{name="test",group="",version="v1",resource="pods"}';
  assert(metrics.render().includes(`${series} 50\n`));
  body.push("\n");
  await bench.pass(1000);
  assertEquals(bench.reflector.stalenessMs, 51_000); // nothing was said
  body.push(bookmark(10));
  await bench.pass(1000);
  assertEquals(bench.reflector.stalenessMs, 1000);
});

Deno.test("Reflector falls back to a list when the sink cannot begin to gather a streaming list", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({}, body, list(7));
  bench.sink.beginReplace = () => {
    bench.sink.beginReplace = () => FakeSink.prototype.beginReplace.call(bench.sink);
    throw new Error("no room");
  };
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 7"]);
  assertEquals([bench.reflector.state.name, body.isCancelled], ["connecting", true]);
});

Deno.test("Reflector by its WatchOpener: each is asked to last from 5 to 10 minutes, at random", async () => {
  const drawn = new Set<number>();
  const world = new FakeWorld({ seed: 42 });
  await using bench = new Bench({ world }, new Body(bookmark(9, "true"), event("ADDED", "a", 10)).close());
  bench.server.otherwise = () => new Body(bookmark(10)).close();
  await bench.pass(60 * MINUTE_MS);
  for (const { query } of bench.server.requests) drawn.add(query.timeoutSeconds!);
  assert(drawn.size > 20);
  assert([...drawn].every((seconds) => Number.isInteger(seconds) && seconds >= 300 && seconds <= 600));
});

Deno.test("Reflector takes a longer least watch timeout, and ignores a shorter one", async () => {
  for (const [minWatchTimeoutMs, least] of [[1000, 300], [900_000, 900]]) {
    await using bench = new Bench({ minWatchTimeoutMs });
    await bench.pass();
    const seconds = bench.server.requests[0].query.timeoutSeconds!;
    assert(seconds >= least && seconds <= 2 * least);
  }
});

Deno.test("Reflector lets an explicit page size win", async () => {
  await using bench = new Bench({ watchList: false, pageSize: 20 }, list(5));
  bench.server.answer(new Body(errorEvent(500, "InternalError")), list(6));
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["list limit=20 rv=0", "watch rv=5", "list limit=20 rv=5", "watch rv=6"]);
});

Deno.test("Reflector of metadata takes PartialObjectMetadata and full objects", async () => {
  const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
  const end = JSON.stringify({
    type: "BOOKMARK",
    object: { ...partial, metadata: { resourceVersion: "3", annotations: { "k8s.io/initial-events-end": "true" } } },
  });
  const body = new Body(event("ADDED", "a", 1, partial), event("ADDED", "b", 2), end, event("ADDED", "c", 4, partial));
  await using bench = new Bench({ metadataOnly: true }, body);
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [a,b] at 3", "ADDED 4"]);
});

Deno.test("Reflector and FrameSink: events gets ADDED, MODIFIED and DELETED frames of the reflector's kind, and no PartialObjectMetadata", async () => {
  const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
  await using bench = new Bench({}, new Body(event("ADDED", "a", 1, partial), bookmark(3, "true")));
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 3"]);
});

Deno.test("Reflector.run() refuses to be run twice", async () => {
  await using bench = new Bench({}, status(422, "Invalid"));
  await assertRejects(
    () => bench.reflector.run(AbortSignal.abort()),
    TypeError,
    "Cannot run the reflector of pods again",
  );
});

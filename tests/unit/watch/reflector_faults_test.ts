// What the reflector does when the server, the connection or the sink misbehaves.
import { assert, assertEquals } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { Deferred, FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { ConnectionError } from "../../../src/client/mod.ts";
import { FrameError, Reflector } from "../../../src/watch/mod.ts";
import { countListeners } from "../base/listeners.ts";
import {
  type Answer,
  Bench,
  Body,
  bookmark,
  errorEvent,
  event,
  FakeServer,
  FakeSink,
  list,
  refused,
  status,
} from "./fakes.ts";

const HOUR_MS = 3_600_000;

Deno.test("Reflector and FrameSink: a method that throws or rejects with a FrameError ends the stream, and nothing is lost", async () => {
  const body = new Body(bookmark(9, "true"));
  const metrics = new MetricsRegistry();
  await using bench = new Bench({ metrics, name: "test" }, body);
  await bench.pass(5000);
  bench.sink.before = (frames) => {
    if (frames.some((frame) => frame.resourceVersion === "11")) throw new FrameError("no object in there");
  };
  body.push(event("ADDED", "a", 10));
  await bench.pass();
  body.push(event("ADDED", "b", 11), event("ADDED", "c", 12));
  await bench.pass();
  assertEquals(bench.reflector.state.name, "backing-off");
  assertEquals(bench.reflector.lastResourceVersion, "10");
  assertEquals(body.isCancelled, true);
  bench.sink.before = () => {};
  bench.server.answer(new Body(event("ADDED", "b", 11), event("ADDED", "c", 12), bookmark(12, "true")));
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=10"]);
  assertEquals([...bench.sink.content.keys()], ["b", "c"]);
  const text = metrics.render();
  assert(text.includes('kubeloop_reflector_frame_errors_total{name="test",group="",version="v1",resource="pods"} 1'));
  assert(/relists_total{[^}]*reason="frame-error"} 1/.test(text));
  assertEquals(bench.logged("Warning: watch ended with error"), 1);
});

Deno.test("Reflector lists again when a sink's promise rejects, in a list too", async () => {
  await using bench = new Bench({ watchList: false }, list(5, ["a"]), list(6, ["a"]));
  bench.sink.before = () => Promise.reject(new FrameError("bad item"));
  await bench.pass();
  assertEquals(bench.sink.calls, []);
  assertEquals(bench.reflector.state.name, "backing-off");
  bench.sink.before = () => {};
  await bench.pass(1600);
  assertEquals(bench.sink.calls, ["replace [a] at 6"]);
});

Deno.test("Reflector: a frame that cannot be decoded ends its stream, behind the events before it; a list makes good what was lost", async () => {
  const body = new Body(
    bookmark(9, "true"),
    event("ADDED", "a", 10) + event("SURPRISE", "b", 11) + event("ADDED", "c", 12),
  );
  await using bench = new Bench({}, body);
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 9", "ADDED 10"]);
  assertEquals(bench.reflector.lastResourceVersion, "10");
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=10"]);
  const error = bench.world.log.lines.find((line) => line.message.includes("watch ended with error"))?.fields
    .err as Error;
  assert(error.message.startsWith('an error on the server ("unable to decode an event from the watch stream: '));
});

Deno.test("Reflector resumes from the last resourceVersion, without a list, when the connection breaks", async () => {
  const body = new Body(bookmark(9, "true"), event("ADDED", "a", 10));
  await using bench = new Bench({}, body);
  await bench.pass(500);
  body.fail(new Deno.errors.ConnectionReset("connection reset by peer"));
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "watch rv=10"]);
});

for (const failure of ["refused", "reset", "eof", "timeout"] as const) {
  Deno.test(`Reflector waits a backoff and tries the same again, with a quiet log, while opening fails with ${failure}`, async () => {
    const lost = () => new ConnectionError(failure, "no");
    const body = new Body(bookmark(9, "true"));
    await using bench = new Bench({}, lost(), body);
    await bench.pass(799);
    assertEquals(bench.server.asked, ["watchList"]);
    await bench.pass(801);
    bench.server.answer(lost());
    await bench.pass(5000);
    body.close();
    await bench.pass(5000);
    assertEquals(bench.server.asked, ["watchList", "watchList", "watch rv=9", "watch rv=9"]);
    assert(bench.gaps[2] >= 800);
    assertEquals(bench.logged("Watch failed - backing off"), 2);
    assertEquals(bench.world.log.lines.filter(({ severity }) => severity !== "info"), []);
  });
}

Deno.test("Reflector waits a backoff and resumes, without a list, when a watch gets ERROR 429", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({}, body);
  await bench.pass(5000);
  body.push(errorEvent(429, "TooManyRequests"));
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watch rv=9"]);
});

Deno.test("Reflector lists after a backoff when a watch cannot be opened for another reason", async () => {
  const seen: unknown[] = [];
  const failure = status(500, "InternalError");
  await using bench = new Bench({ watchList: false, onError: (e) => seen.push(e) }, list(5), failure, list(6));
  await bench.pass(1600);
  assertEquals(seen, [failure]);
  assertEquals(bench.server.asked, ["list limit=500 rv=0", "watch rv=5", "list rv=5", "watch rv=6"]);
});

Deno.test("Reflector falls back to a list when a streaming list is very short, gets ERROR 500, or cannot be decoded", async () => {
  for (const body of [new Body().close(), new Body(errorEvent(500, "InternalError")), new Body("<html>")]) {
    await using bench = new Bench({}, body, list(7, ["a"]));
    await bench.pass();
    assertEquals(bench.server.asked, ["watchList", "list limit=500 rv=0", "watch rv=7"]);
    assertEquals(bench.gaps, [0, 0]);
  }
});

Deno.test("Reflector opens another streaming list without a resourceVersion at once when one gets ERROR 410", async () => {
  await using bench = new Bench({}, new Body(bookmark(9, "true"), errorEvent(500, "InternalError")));
  bench.server.answer(new Body(errorEvent(410, "Expired")));
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=9", "watchList"]);
  assertEquals(bench.gaps[1], 0);
});

Deno.test("Reflector by its PagedList: the sink sees a list only when it is complete, not one that is cut short, nor a Table or Status", async () => {
  const bodies = [
    '{"kind":"PodList","items":[{"metadata":{"name":"x"}}',
    '{"kind":"Table","rows":[]}',
    '{"kind":"Status","code":500}',
  ];
  for (const text of bodies) {
    const error = new Body(errorEvent(500, "InternalError"));
    await using bench = new Bench(
      { watchList: false },
      list(5, ["a"]),
      error,
      new Body(text).close(),
      list(6, ["a", "b"]),
    );
    await bench.pass(1600);
    assertEquals(bench.sink.calls, ["replace [a] at 5"]);
    assertEquals(bench.logged("Failed to watch"), 1);
    await bench.pass(5000);
    assertEquals(bench.sink.calls, ["replace [a] at 5", "replace [a,b] at 6"]);
  }
});

Deno.test("Reflector warns every ten seconds without events while it waits for the end of the initial events", async () => {
  const body = new Body();
  await using bench = new Bench({}, body);
  await bench.pass(9_999);
  assertEquals(bench.logged("event bookmark expired"), 0);
  await bench.pass(10_001);
  assertEquals(bench.logged("event bookmark expired"), 2);
  body.push(event("ADDED", "a", 1));
  await bench.pass(9_999);
  assertEquals(bench.logged("event bookmark expired"), 2);
});

Deno.test("Reflector and FrameSink: calls come one at a time: a returned promise is waited for before more bytes are read", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({}, body);
  await bench.pass();
  const slow = new Deferred();
  bench.sink.before = () => slow.promise;
  body.push(event("ADDED", "a", 10));
  await bench.pass();
  body.push(event("ADDED", "b", 11));
  await bench.pass(HOUR_MS); // far past every deadline: the server is not to blame
  assertEquals(bench.sink.calls, ["replace [] at 9"]);
  assertEquals(bench.server.asked, ["watchList"]);
  slow.resolve();
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 9", "ADDED 10", "ADDED 11"]);
});

/** Servers that would have a client without patience send requests in a loop. */
const hotServers: Record<string, () => Answer> = {
  "accepts and closes": () => new Body().close(),
  "sends a bookmark and closes": () => new Body(bookmark(50)).close(),
  "sends an end bookmark and closes": () => new Body(bookmark(50, "true")).close(),
  "sends an event and closes": () => new Body(event("ADDED", "a", 50)).close(),
  "sends a whole streaming list and breaks": () =>
    new Body(event("ADDED", "a", 50), bookmark(51, "true"), event("MODIFIED", "a", 52)).close(),
  "sends half a frame and closes": () => new Body('{"type":').close(),
  "sends garbage": () => new Body("garbage"),
  "sends ERROR 410": () => new Body(errorEvent(410, "Expired")),
  "sends ERROR 429": () => new Body(errorEvent(429, "TooManyRequests")),
  "sends an empty list": () => list(5),
  "sends a list whose pages never end": () => list(5, [], "more"),
  "refuses connections": refused,
  "answers 410": () => status(410, "Expired"),
  "answers 429": () => status(429, "TooManyRequests"),
  "answers 500": () => status(500, "InternalError"),
  "answers 504 too large": () => status(504, "Timeout", { cause: "ResourceVersionTooLarge" }),
};

for (const [what, answer] of Object.entries(hotServers)) {
  Deno.test(`Reflector: whatever the server does, requests follow each other at once only a few times, at most 600 an hour, if it ${what}`, async () => {
    await using bench = new Bench({}, answer(), answer(), answer());
    bench.server.otherwise = answer;
    await bench.pass(HOUR_MS);
    const count = bench.server.requests.length;
    assert(count >= 20 && count <= 600, `${count} requests`);
  });
}

Deno.test("Reflector: when signal aborts, run resolves, in whatever state; nothing is left and the sink is not called any more", async () => {
  const scripts: Record<string, readonly Answer[]> = {
    "connecting": ["nothing"],
    "streaming-list": [new Body(event("ADDED", "a", 1))],
    "listing": [status(422, "Invalid"), new Body('{"kind":"PodList","items":[{"metadata":{"name":"a"}},')],
    "watching": [new Body(bookmark(9, "true"))],
    "backing-off": [refused()],
  };
  for (const [state, script] of Object.entries(scripts)) {
    const bench = new Bench({}, ...script);
    await bench.pass();
    assertEquals(bench.reflector.state.name, state);
    const calls = [...bench.sink.calls];
    await bench[Symbol.asyncDispose]();
    assertEquals(bench.reflector.state.name, "stopped");
    for (const answer of script) if (answer instanceof Body) assertEquals(answer.isCancelled, true);
    for (const { signal } of bench.server.requests) assertEquals(signal.aborted, true);
    assertEquals(bench.sink.calls, calls);
  }
});

Deno.test("Reflector: only bookmarks and errors are parsed, never an object", async () => {
  const noJson =
    '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"10"},"spec":{no}}}';
  const taken: string[] = [];
  await using bench = new Bench({}, new Body(bookmark(9, "true"), noJson));
  bench.sink.events = (frames) => {
    for (const frame of frames) taken.push(new TextDecoder().decode(frame.bytes));
    return Promise.resolve();
  };
  await bench.pass();
  assertEquals(taken, [noJson]);
  assertEquals([bench.reflector.lastResourceVersion, bench.reflector.state.name], ["10", "watching"]);
});

Deno.test("Reflector that runs for a day under all kinds of faults leaves no listener on its signal behind", async () => {
  const answers = Object.values(hotServers);
  const world = new FakeWorld();
  const server = new FakeServer(world);
  let turn = 0;
  server.otherwise = () => answers[turn++ % answers.length]();
  const stop = new AbortController();
  const listeners = countListeners(stop.signal);
  const reflector = new Reflector({ world, resource: PODS, listWatch: server, sink: new FakeSink() });
  const running = reflector.run(stop.signal);
  let most = 0;
  for (let hour = 0; hour < 24; hour++) {
    await world.clock.advance(HOUR_MS);
    most = Math.max(most, listeners.count);
  }
  assert(server.requests.length > 1000 && most <= 1, `${server.requests.length} requests, ${most} listeners`);
  stop.abort();
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("Reflector stops without a word while a sink's promise is pending for ever", async () => {
  for (const watchList of [true, false]) {
    const answers = watchList ? [new Body(event("ADDED", "a", 1))] : [list(5, ["a"])];
    const bench = new Bench({ watchList }, ...answers);
    bench.sink.before = () => new Promise(() => {});
    await bench.pass();
    await bench[Symbol.asyncDispose]();
    assertEquals(bench.world.log.lines.filter((line) => line.severity !== "info"), []);
    assertEquals(bench.world.log.lines.filter((line) => line.message.includes("watchlist")), []);
  }
  const body = new Body(bookmark(9, "true"));
  const bench = new Bench({}, body);
  await bench.pass();
  bench.sink.bookmark = () => new Promise<void>(() => {});
  body.push(bookmark(10));
  await bench.pass();
  await bench[Symbol.asyncDispose]();
  assertEquals(bench.world.log.lines.filter((line) => line.severity !== "info"), []);
});

Deno.test("Reflector counts a watch as very short from where the streaming list ended, whatever came before", async () => {
  const body = new Body(event("ADDED", "a", 1));
  await using bench = new Bench({}, body);
  await bench.pass(5000);
  body.push(bookmark(9, "true"));
  await bench.pass(500);
  body.close();
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=9"]);
});

Deno.test("Reflector uses its resourceVersion again once a list without one has succeeded", async () => {
  await using bench = new Bench({}, new Body(bookmark(9, "true"), errorEvent(500, "InternalError")));
  bench.server.answer(status(410, "Expired"), new Body(bookmark(30, "true"), errorEvent(500, "InternalError")));
  await bench.pass(5000);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=9", "watchList", "watchList rv=30"]);
});

Deno.test("Reflector by its PagedList: a list of another API version has failed, and so has an empty page that is not the last", async () => {
  const ofAppsV1 = JSON.stringify({ kind: "PodList", apiVersion: "apps/v1", metadata: {}, items: [] });
  for (const answer of [new Body(ofAppsV1).close(), list(5, [], "more")]) {
    await using bench = new Bench({ watchList: false }, answer, list(6, ["b"]));
    await bench.pass();
    assertEquals([bench.sink.calls, bench.server.asked.length, bench.reflector.state.name], [[], 1, "backing-off"]);
    await bench.pass(1600);
    assertEquals(bench.sink.calls, ["replace [b] at 6"]);
  }
});

Deno.test("Reflector and Replacement: it ends with commit or abort; abort also follows a commit that failed, and a stop while one is pending", async () => {
  const commits: readonly (() => void | Promise<void>)[] = [
    () => {},
    () => Promise.reject(new Error("no")),
    () => new Promise(() => {}),
  ];
  for (const [i, commit] of commits.entries()) {
    const said: string[] = [];
    const bench = new Bench({}, new Body(event("ADDED", "a", 1), bookmark(2, "true")));
    bench.sink.beginReplace = () => {
      bench.sink.beginReplace = () => ({ events: () => {}, commit: () => {}, abort: () => {} }); // of the list that follows
      return {
        events: () => {},
        commit: () => (said.push("commit"), commit()),
        abort: () => void said.push("abort"),
      };
    };
    await bench.pass();
    await bench[Symbol.asyncDispose]();
    assertEquals(said, i === 0 ? ["commit"] : ["commit", "abort"]);
  }
});

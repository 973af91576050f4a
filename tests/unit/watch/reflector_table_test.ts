// What the reflector asks for after each kind of answer.
import { assert, assertEquals } from "@std/assert";
import * as fakes from "./fakes.ts";
import { Bench, Body, bookmark, errorEvent, event, list, status } from "./fakes.ts";

const TIMEOUT_MS = 400_000;

/** A base delay of the backoff with up to as much again on top. */
function assertDelay(gapMs: number, baseMs: number) {
  assert(gapMs >= baseMs && gapMs < 2 * baseMs, `${gapMs} ms is not in [${baseMs}, ${2 * baseMs})`);
}

/** A bench whose streaming list has just ended with objects at `resourceVersion`; further bytes go to the body. */
async function live(resourceVersion: number, ...names: string[]) {
  const body = new Body(...names.map((name, i) => event("ADDED", name, i + 1)), bookmark(resourceVersion, "true"));
  const bench = new Bench({}, body);
  await bench.pass();
  assertEquals(bench.reflector.state.name, "watching");
  return { bench, body };
}

Deno.test("Reflector drops the partial frame and reopens from the last resourceVersion when the body ends inside a frame", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  body.push(event("MODIFIED", "a", 12), event("MODIFIED", "a", 13).slice(0, -20));
  await bench.pass(5000);
  body.close();
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "watch rv=12"]);
  assertEquals(bench.sink.calls, ["replace [] at 9", "MODIFIED 12"]);
});

Deno.test("Reflector lists again after a backoff when a frame is over the limit", async () => {
  const body = new Body(bookmark(9, "true"));
  await using bench = new Bench({ maxFrameBytes: 1000 }, body);
  await bench.pass(5000);
  body.push(event("ADDED", "a".repeat(2000), 10));
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=9"]);
  assertEquals(body.isCancelled, true);
  const line = bench.world.log.lines.find((line) => line.message.includes("watch ended with error"));
  const error = line?.fields.err as Error;
  assert(error.message.includes("longer than maximum allowed size"));
  assert(error.message.includes("stream of pods"));
});

Deno.test("Reflector lists in the same iteration when a streaming list answers 422", async () => {
  await using bench = new Bench({}, status(422, "Invalid"), list(7, ["a", "b"]));
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "list limit=500 rv=0", "watch rv=7"]);
  assertEquals(bench.sink.calls, ["replace [a,b] at 7"]);
});

Deno.test("Reflector waits two backoffs and never lists when a streaming list gets 429 twice", async () => {
  const busy = () => status(429, "TooManyRequests");
  await using bench = new Bench({}, busy(), busy(), new Body(bookmark(3, "true")));
  await bench.pass(10_000);
  assertEquals(bench.server.asked, ["watchList", "watchList", "watchList"]);
  assertDelay(bench.gaps[0], 800);
  assertDelay(bench.gaps[1], 1600);
  assertEquals(bench.reflector.state.name, "watching");
});

for (const annotation of [undefined, "false"]) {
  Deno.test(`Reflector stores nothing when the stream ends after a bookmark annotated ${annotation}`, async () => {
    const body = new Body(event("ADDED", "a", 1), event("ADDED", "b", 2), bookmark(9, annotation));
    await using bench = new Bench({}, body);
    await bench.pass();
    assertEquals(bench.reflector.state.name, "streaming-list");
    body.close();
    await bench.pass();
    assertEquals(bench.server.asked, ["watchList", "watchList"]);
    assertEquals(bench.sink.calls, []);
  });
}

Deno.test("Reflector: the sink gets each list as one replacement, then every event since, on the same connection", async () => {
  const body = new Body(
    event("ADDED", "a", 10),
    event("DELETED", "a", 11),
    bookmark(12, "true"),
    event("ADDED", "b", 13),
  );
  await using bench = new Bench({}, body);
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 12", "ADDED 13"]);
  assertEquals(bench.server.asked, ["watchList"]);
  assertEquals(bench.reflector.lastResourceVersion, "13");
});

Deno.test("Reflector: after an error the resource is listed again, at least as new as the last resourceVersion", async () => {
  const { bench, body } = await live(20);
  await using _ = bench;
  await bench.pass(5000);
  body.push(errorEvent(410, "Expired"));
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=20"]);
  assertEquals(bench.logged("watch ended with error"), 0);
});

const tooLarge = () => status(504, "Timeout", { cause: "ResourceVersionTooLarge" });
const tooLargeByMessage = () =>
  status(504, "Timeout", { message: "Timeout: Too large resource version: 20, current: 5" });
for (
  const [name, refusal] of [
    ["410", () => status(410, "Expired")],
    ["a bare 410", () => status(410, "")],
    ["504 ResourceVersionTooLarge", tooLarge],
    ["504 Too large resource version", tooLargeByMessage],
  ] as const
) {
  Deno.test(`Reflector lists without a resourceVersion at once when a re-list answers ${name}`, async () => {
    const { bench, body } = await live(20);
    await using _ = bench;
    bench.server.answer(refusal());
    body.push(errorEvent(500, "InternalError"));
    await bench.pass(1600);
    assertEquals(bench.server.asked, ["watchList", "watchList rv=20", "watchList"]);
    assertEquals(bench.gaps[1], 0);
  });

  Deno.test(`Reflector pages without a resourceVersion at once when a LIST answers ${name}`, async () => {
    await using bench = new Bench({ watchList: false }, list(20));
    bench.server.answer(new Body(errorEvent(500, "InternalError")), refusal(), list(30));
    await bench.pass(1600);
    assertEquals(bench.server.asked, ["list limit=500 rv=0", "watch rv=20", "list rv=20", "list", "watch rv=30"]);
    assertEquals(bench.gaps[2], 0);
  });
}

Deno.test("Reflector by its PagedList: a continue token is never sent together with a resourceVersion, and paging goes on once a list came in pages", async () => {
  await using bench = new Bench({ watchList: false }, list(5, ["a"], "more"), list(6, ["b"]));
  bench.server.answer(new Body(errorEvent(500, "InternalError")), list(7));
  await bench.pass(1600);
  assertEquals(bench.sink.calls, ["replace [a,b] at 5", "replace [] at 7"]);
  assertEquals(bench.server.asked, [
    "list limit=500 rv=0",
    "list limit=500 continue=more",
    "watch rv=5",
    "list limit=500 rv=5",
    "watch rv=7",
  ]);
});

Deno.test("Reflector by its PagedList: when a later page has expired, the whole list is requested in one piece, with the resourceVersion of the first request", async () => {
  const answers = [list(5, ["gone"], "more"), status(410, "Expired"), list(8, ["a", "b"])];
  await using bench = new Bench({ watchList: false }, ...answers);
  await bench.pass();
  assertEquals(bench.server.asked, [
    "list limit=500 rv=0",
    "list limit=500 continue=more",
    "list rv=0",
    "watch rv=8",
  ]);
  assertEquals(bench.sink.calls, ["replace [a,b] at 8"]);
});

Deno.test("Reflector: a watch that the server closes is resumed at once from the last resourceVersion, without a list", async () => {
  const { bench, body } = await live(30);
  await using _ = bench;
  for (let passedMs = 0; passedMs < TIMEOUT_MS; passedMs += 50_000) {
    await bench.pass(50_000);
    body.push(event("MODIFIED", "a", 33));
  }
  await bench.pass();
  body.close();
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "watch rv=33"]);
});

Deno.test("Reflector lists after a backoff when a watch is closed within 200 ms without events", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  const empty = new Body();
  bench.server.answer(empty);
  await bench.pass(5000);
  body.close();
  await bench.pass(200);
  empty.close();
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList", "watch rv=9"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watch rv=9", "watchList rv=9"]);
});

Deno.test("Reflector: the unordered events with which a watch without a resourceVersion begins do not count", async () => {
  const body = new Body(event("ADDED", "a", 7), event("ADDED", "b", 3));
  await using bench = new Bench({ watchList: false }, list("", []), body);
  await bench.pass(5000);
  assertEquals(bench.reflector.lastResourceVersion, "");
  const second = new Body(event("ADDED", "a", 7));
  bench.server.answer(second);
  body.close();
  await bench.pass();
  assertEquals(bench.server.asked, ["list limit=500 rv=0", "watch", "watch"]);
  second.push(event("MODIFIED", "a", 8), event("ADDED", "c", 9));
  await bench.pass();
  assertEquals(bench.reflector.lastResourceVersion, "9");
});

Deno.test("Reflector reopens at the same resourceVersion with growing delays, never listing, while refused", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  bench.server.answer(...Array.from({ length: 5 }, fakes.refused), new Body());
  await bench.pass(5000);
  body.close();
  await bench.pass(60_000);
  assertEquals(bench.server.asked, ["watchList", ...Array(6).fill("watch rv=9")]);
  for (const [i, baseMs] of [800, 1600, 3200, 6400, 12_800].entries()) assertDelay(bench.gaps[i + 1], baseMs);
});

Deno.test("Reflector: the last resourceVersion is that of the last list, event or bookmark that the sink has taken", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  await bench.pass(5000);
  body.push(bookmark(50)).close();
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "watch rv=50"]);
  assertEquals(bench.sink.calls, ["replace [] at 9", "bookmark 50"]);
});

Deno.test("Reflector lists after a backoff when a watch gets ERROR 500", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  await bench.pass(5000);
  body.push(errorEvent(500, "InternalError"));
  await bench.pass(799);
  assertEquals(bench.server.asked, ["watchList"]);
  await bench.pass(801);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=9"]);
  assertEquals(bench.logged("Warning: watch ended with error"), 1);
});

Deno.test("Reflector calls the error handler and tries again with growing delays when a list answers 403", async () => {
  const seen: unknown[] = [];
  const forbidden = Array.from({ length: 30 }, () => status(403, "Forbidden"));
  await using bench = new Bench({ onError: (error) => seen.push(error) }, ...forbidden);
  await bench.pass(20_000);
  assert(seen.length >= 3 && seen.length <= 5, `${seen.length} errors`);
  assertEquals(bench.sink.calls, []);
  const starts = bench.server.requests.filter((request) => request.verb === "watch").map((request) => request.atMs);
  for (const [i, baseMs] of [800, 1600, 3200].entries()) assertDelay(starts[i + 1] - starts[i], baseMs);
});

Deno.test("Reflector: objects of another kind are skipped, with a log, and their resourceVersion does not count", async () => {
  const { bench, body } = await live(9);
  await using _ = bench;
  body.push(event("ADDED", "x", 40, { kind: "Node", apiVersion: "v1" }));
  body.push(event("ADDED", "y", 41, { kind: "Pod", apiVersion: "other/v1" }));
  await bench.pass();
  assertEquals(bench.reflector.lastResourceVersion, "9");
  assertEquals(bench.logged("Unexpected watch event object"), 1);
  body.push(event("ADDED", "a", 42));
  await bench.pass();
  assertEquals(bench.sink.calls, ["replace [] at 9", "ADDED 42"]);
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);
const manyEvents = (count: number) => names(count).map((name, i) => event("ADDED", name, i + 1)).join("");

Deno.test("Reflector: a streaming list of many objects is given up for a LIST that is as new, and so are later lists of the resource", async () => {
  const stream = new Body(manyEvents(501));
  const watch = new Body();
  await using bench = new Bench({}, stream, list(600, names(501)), watch, list(700, ["p1"]), new Body());
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList", "list", "watch rv=600"]);
  assertEquals(stream.isCancelled, true);
  assertEquals(bench.sink.calls, [`replace [${names(501)}] at 600`]);
  await bench.pass(5000);
  watch.push(errorEvent(410, "Expired"));
  await bench.pass(1600);
  assertEquals(bench.server.asked.slice(3), ["list rv=600", "watch rv=700"]);
  assertEquals(bench.sink.calls.slice(1), ["replace [p1] at 700"]);
});

Deno.test("Reflector streams a list of 500 objects to its end", async () => {
  await using bench = new Bench({}, new Body(manyEvents(500), bookmark(600, "true")));
  await bench.pass();
  assertEquals(bench.server.asked, ["watchList"]);
  assertEquals(bench.sink.calls, [`replace [${names(500)}] at 600`]);
});

Deno.test("Reflector streams a long list to its end after a LIST that failed, and lists again the next time", async () => {
  const cutShort = new Body('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"600"},"items":[')
    .close();
  const whole = new Body(manyEvents(501), bookmark(700, "true"));
  await using bench = new Bench({}, new Body(manyEvents(501)), cutShort, whole);
  await bench.pass();
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "list", "watchList"]);
  assertEquals(bench.sink.calls, [`replace [${names(501)}] at 700`]);
  assertEquals(bench.reflector.state.name, "watching");
  await bench.pass(5000);
  whole.push(errorEvent(410, "Expired"));
  await bench.pass(3200);
  assertEquals(bench.server.asked.slice(3), ["list rv=700"]);
});

Deno.test("Reflector lists without a resourceVersion when the LIST in place of a stream calls it too large", async () => {
  const { bench, body } = await live(20);
  await using _ = bench;
  bench.server.answer(new Body(manyEvents(501)), tooLarge(), list(5, ["a"]));
  body.push(errorEvent(500, "InternalError"));
  await bench.pass(1600);
  assertEquals(bench.server.asked, ["watchList", "watchList rv=20", "list rv=20", "list", "watch rv=5"]);
});

import { assertEquals } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { WatchOpener } from "../../../src/watch/watch_opener.ts";
import type { WatchStep } from "../../../src/watch/watch_stream.ts";
import { Body, bookmark, event } from "./fakes.ts";

const IDLE_MS = 10_000;

/** An open watch of pods whose body the test writes. */
async function setUp(...parts: string[]) {
  const world = new FakeWorld();
  const body = new Body(...parts);
  const listWatch = { list: () => Promise.reject(), watch: () => Promise.resolve(body.stream) };
  const opener = new WatchOpener({
    world,
    resource: PODS,
    listWatch,
    idleMs: IDLE_MS,
    onProgress: () => {},
    onSkip: () => {},
  });
  const stream = await opener.open({ resourceVersion: "1" }, new AbortController().signal);
  const next = async () => inWords(await stream.next());
  return { clock: world.clock, body, stream, next };
}

function inWords(step: WatchStep): string {
  switch (step.what) {
    case "objects":
      return step.frames.map(({ type, resourceVersion }) => `${type} ${resourceVersion}`).join(", ");
    case "bookmark":
      return `bookmark ${step.resourceVersion}`;
    case "failed":
      return `failed with ${step.error instanceof Error ? step.error.name : step.error}`;
    default:
      return step.what;
  }
}

Deno.test("WatchStream: next gives what happens in the server's order, one thing at a time", async () => {
  const { body, clock, stream, next } = await setUp(
    event("ADDED", "a", 2) + event("MODIFIED", "a", 3) + bookmark(4) + event("DELETED", "a", 5),
  );
  assertEquals([await next(), await next(), await next()], ["ADDED 2, MODIFIED 3", "bookmark 4", "DELETED 5"]);
  await clock.advance(1000);
  body.close();
  assertEquals(await next(), "closed");
  stream.close();
});

Deno.test("WatchStream: bytes that are not JSON, and frames no API server sends, are a failed step with a FrameError, behind all that came before", async () => {
  for (const fault of ["}", event("RENAMED", "a", 9)]) {
    const { stream, next } = await setUp(event("ADDED", "a", 2) + bookmark(4) + fault);
    assertEquals([await next(), await next(), await next()], ["ADDED 2", "bookmark 4", "failed with FrameError"]);
    stream.close();
  }
});

Deno.test("WatchStream: so is a watch that is closed in less than a second without an event, with a VeryShortWatchError", async () => {
  for (const [afterMs, end] of [[999, "failed with VeryShortWatchError"], [1000, "closed"]] as const) {
    const { body, clock, stream, next } = await setUp(event("ADDED", "x", 2, { kind: "Job", apiVersion: "batch/v1" }));
    const ended = next();
    await clock.advance(afterMs);
    body.close();
    assertEquals(await ended, end);
    stream.close();
  }
});

Deno.test("WatchStream: only what it gives is progress: neither bytes of an event that does not end nor objects of another kind keep it open", async () => {
  const nothing = ['{"type":"ADDED","object":{"x":"', event("ADDED", "x", 2, { kind: "Job", apiVersion: "batch/v1" })];
  for (const [i, part] of nothing.entries()) {
    const { body, clock, stream, next } = await setUp();
    const ended = next();
    for (let ms = 0; ms < IDLE_MS; ms += 1000) {
      body.push(i === 0 && ms > 0 ? "more" : part);
      await clock.advance(1000);
    }
    assertEquals(await ended, "silent");
    stream.close();
  }
  const { body, clock, stream, next } = await setUp();
  for (let ms = 0; ms < 2 * IDLE_MS; ms += 1000) {
    const given = next();
    await clock.advance(1000);
    body.push(bookmark(ms));
    assertEquals(await given, `bookmark ${ms}`);
  }
  stream.close();
});

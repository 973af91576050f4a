import { assertEquals, assertThrows } from "@std/assert";
import { PODS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { EventSifter, type WatchEvent } from "../../../src/watch/event_sifter.ts";
import { FrameError, JsonFrameScanner, type WatchFrame } from "../../../src/watch/mod.ts";
import { bookmark, event } from "./fakes.ts";

const JOB = { kind: "Job", apiVersion: "batch/v1" };

function setUp() {
  const { log } = new FakeWorld();
  let skipped = 0;
  const sifter = new EventSifter({ resource: PODS, metadataOnly: false, log, onSkip: () => skipped++ });
  const sift = (...texts: string[]): WatchEvent[] => {
    const frames: WatchFrame[] = [];
    new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(texts.join("")), frames);
    return [...sifter.sift(frames)];
  };
  return {
    sift,
    skipped: () => skipped,
    errors: () => log.lines.filter(({ severity }) => severity === "error").length,
  };
}

Deno.test("EventSifter: objects of another kind are left out; the first of a stream is logged, all are counted", () => {
  const { sift, skipped, errors } = setUp();
  const found = sift(event("ADDED", "a", 1), event("ADDED", "x", 2, JOB), event("MODIFIED", "a", 3), bookmark(4));
  const inWords = found.map((it) => it.what === "objects" ? it.frames.map((frame) => frame.resourceVersion) : it.what);
  assertEquals(inWords, [["1"], ["3"], "bookmark"]);
  assertEquals([sift(event("DELETED", "x", 5, JOB)), skipped(), errors()], [[], 2, 1]);
});

Deno.test("EventSifter: a type that the API does not know is a FrameError", () => {
  const { sift } = setUp();
  assertThrows(() => sift(event("RENAMED", "a", 1)), FrameError, "RENAMED");
});

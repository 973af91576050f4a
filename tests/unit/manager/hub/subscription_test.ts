import { assert, assertEquals, assertThrows } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { JoinSink } from "../../../../src/manager/hub/join_sink.ts";
import { Subscription } from "../../../../src/manager/hub/subscription.ts";
import { FrameError } from "../../../../src/watch/mod.ts";
import { frame, inWords } from "./fixtures.ts";

const MIB = 1024 * 1024;
const LARGE = frame("ADDED", 7, "x".repeat(MIB));

function setUp() {
  const said: string[] = [];
  const subscription = new Subscription({ postMessage: (message) => said.push(inWords(message)) }, {
    group: "g",
    stream: 1,
    isMetadataOnly: false,
  });
  return { subscription, said };
}

/** Sends until no more is taken; says how many frames were. */
function fill(subscription: Subscription): number {
  for (let count = 0;; count++) if (!subscription.frames([LARGE], false)) return count;
}

Deno.test("Subscription: frames are refused while more than 64 MiB are under way", () => {
  const { subscription } = setUp();
  const count = fill(subscription);
  assert(count * LARGE.bytes.length > 64 * MIB && (count - 1) * LARGE.bytes.length <= 64 * MIB, `${count} frames`);
  subscription.done(LARGE.bytes.length);
  assertEquals([subscription.frames([LARGE], false), subscription.frames([LARGE], false)], [true, false]);
});

Deno.test("Subscription: whenWorkedOff resolves once half of that or less is under way", async () => {
  const { subscription } = setUp();
  await subscription.whenWorkedOff();
  const bytes = fill(subscription) * LARGE.bytes.length;
  let isWorkedOff = false;
  const worked = subscription.whenWorkedOff().then(() => isWorkedOff = true);
  subscription.done(bytes - 32 * MIB - 1);
  await Promise.resolve();
  assertEquals(isWorkedOff, false);
  subscription.done(1);
  await worked;
});

Deno.test("Subscription: makesRoom waits for that as long as the subscriber takes something every five seconds, but not longer than thirty", async () => {
  const { subscription } = setUp();
  const { clock } = new FakeWorld();
  const never = new AbortController();
  assertEquals(await subscription.makesRoom(clock, never.signal), true, "there is room");
  const bytes = fill(subscription) * LARGE.bytes.length;
  const patient = subscription.makesRoom(clock, never.signal);
  await clock.advance(4_999);
  subscription.done(1);
  await clock.advance(5_000);
  subscription.done(bytes - 1);
  assertEquals(await patient, true);
  fill(subscription);
  const inVain = subscription.makesRoom(clock, never.signal);
  await clock.advance(5_000);
  assertEquals([await inVain, clock.pendingTimers], [false, 0]);
  let endedMs = 0;
  const startMs = clock.monotonicMs();
  const tooSlow = subscription.makesRoom(clock, never.signal).finally(() => endedMs = clock.monotonicMs() - startMs);
  for (let second = 0; second < 60; second++) {
    subscription.done(1);
    await clock.advance(1_000);
  }
  assertEquals([endedMs, clock.pendingTimers], [30_000, 0]);
  assertEquals(await tooSlow, false);
  const stopped = subscription.makesRoom(clock, never.signal);
  never.abort();
  assertEquals([await stopped, clock.pendingTimers], [false, 0]);
});

Deno.test("JoinSink: a list that is older than what the topic had seen when the join began is refused", async () => {
  const { subscription } = setUp();
  const join = new AbortController();
  const sink = new JoinSink(subscription, { notBefore: "10", join });
  const older = sink.beginReplace();
  await older.events([frame("", 9)]);
  assertThrows(() => void older.commit("9"), FrameError, "older than 10");
  assertEquals([sink.committed, join.signal.aborted], [undefined, false], "the source goes on, so that it lists again");
  await sink.beginReplace().commit("10");
  assertEquals(sink.committed, "10");
});

Deno.test("JoinSink: reading waits while the subscription has no room", async () => {
  const { subscription, said } = setUp();
  const bytes = fill(subscription) * LARGE.bytes.length;
  const sink = new JoinSink(subscription, { notBefore: "1", join: new AbortController() });
  let isTaken = false;
  const taken = Promise.resolve(sink.beginReplace().events([frame("ADDED", 8)])).then(() => isTaken = true);
  await Promise.resolve();
  assertEquals([isTaken, said.at(-1)], [false, "begin"]);
  subscription.done(bytes);
  await taken;
  assertEquals(said.at(-1), "list ADDED@8");
});

Deno.test("JoinSink: when the list is complete, committed is its resourceVersion and the source ends; the commit is left to the topic", async () => {
  const { subscription, said } = setUp();
  const join = new AbortController();
  const sink = new JoinSink(subscription, { notBefore: "1", join });
  await sink.beginReplace().commit("12");
  assertEquals([sink.committed, join.signal.aborted, said], ["12", true, ["begin"]]);
});

import { assertEquals } from "@std/assert";
import { FakeWorld, sleep } from "../../../../src/base/mod.ts";
import type { LifecycleContext } from "../../../../src/controllers/node_lifecycle/context.ts";
import type { NodeHealth } from "../../../../src/controllers/node_lifecycle/health.ts";
import { Outage } from "../../../../src/controllers/node_lifecycle/outage.ts";
import { node } from "./lifecycle_rig.ts";

/** Nodes `a` and `b` with a grace of 50 s, and a server that answers after some time, or not at all. */
function setUp() {
  const world = new FakeWorld();
  const time = { nowMs: () => world.clock.monotonicMs() };
  const healths = new Map<string, NodeHealth>(["a", "b"].map((name) => [name, { probedMs: time.nowMs() }]));
  const server: { answerMs: number | undefined; asked: number } = { answerMs: 0, asked: 0 };
  const get = async (_resource: unknown, _ref: unknown, { signal }: { signal: AbortSignal }) => {
    server.asked++;
    await sleep(world.clock, server.answerMs ?? Infinity, signal);
    signal.throwIfAborted();
  };
  const options = { nodeMonitorGracePeriodMs: 50_000 };
  const outage = new Outage({ world, time, healths, options, client: { get } } as unknown as LifecycleContext);
  const nodes = [node("a"), node("b")];
  /** Lets time pass, then asks; answers how long that took are part of the time. */
  const check = async (seconds: number): Promise<boolean> => {
    await world.clock.advance(seconds * 1000);
    let hasEnded: boolean | undefined;
    void outage.check(nodes, new AbortController().signal).then((ended) => hasEnded = ended);
    await world.clock.advanceUntil(() => hasEnded !== undefined);
    return hasEnded!;
  };
  const hear = (name: string) => void healths.set(name, { probedMs: time.nowMs() });
  const silentSeconds = (name: string) => (time.nowMs() - healths.get(name)!.probedMs) / 1000;
  return { outage, server, healths, time, check, hear, silentSeconds };
}

Deno.test("Outage: the server is asked only when for half a grace no node at all was heard of", async () => {
  const { outage, server, check, hear } = setUp();
  server.answerMs = undefined;
  for (let i = 0; i < 6; i++) {
    await check(20);
    hear("b");
  }
  assertEquals([server.asked, outage.isOn], [0, false]);
  await check(25);
  assertEquals([server.asked, outage.isOn], [0, false]);
  await check(1);
  assertEquals([server.asked, outage.isOn], [1, true]);
});

Deno.test("Outage: a grace that was lent is not a sign of life", async () => {
  const { server, healths, time, check } = setUp();
  healths.set("b", { probedMs: time.nowMs() + 60_000 });
  await check(26);
  assertEquals(server.asked, 1);
});

Deno.test("Outage: a server that is as slow as a kubelet puts up with is not away", async () => {
  const { outage, server, check, silentSeconds } = setUp();
  server.answerMs = 9_000;
  await check(30);
  assertEquals([server.asked, outage.isOn, silentSeconds("a")], [1, false, 39]);
  server.answerMs = 11_000;
  await check(0);
  assertEquals([server.asked, outage.isOn], [2, true]);
});

Deno.test("Outage: time counts until the server's last answer, and from its next one", async () => {
  const { server, check, silentSeconds } = setUp();
  await check(30);
  server.answerMs = undefined;
  await check(10);
  await check(10);
  server.answerMs = 0;
  assertEquals(await check(10), true);
  assertEquals([silentSeconds("a"), silentSeconds("b")], [30, 30]);
  assertEquals(await check(5), false);
  assertEquals(silentSeconds("a"), 35);
});

Deno.test("Outage: it has ended too when a node is heard of, and time counts from then", async () => {
  const { outage, server, check, hear, silentSeconds } = setUp();
  server.answerMs = undefined;
  await check(30);
  assertEquals(outage.isOn, true);
  hear("b");
  assertEquals([await check(0), server.asked], [true, 1]);
  assertEquals([silentSeconds("a"), silentSeconds("b")], [0, 0]);
});

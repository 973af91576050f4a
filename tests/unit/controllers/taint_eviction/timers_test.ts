import { assertEquals } from "@std/assert";
import { Deferred, FakeClock } from "../../../../src/base/mod.ts";
import { WakingTime } from "../../../../src/controllers/nodes/mod.ts";
import { EvictionTimers } from "../../../../src/controllers/taint_eviction/timers.ts";

/** A clock whose process can be frozen: time goes on, and timers fire when it wakes. */
class FreezingClock extends FakeClock {
  #frozenMs: number | undefined;
  readonly #held: (() => void)[] = [];

  override setTimer(delayMs: number, fn: () => void) {
    return super.setTimer(delayMs, () => this.#frozenMs === undefined ? fn() : void this.#held.push(fn));
  }

  async freezeFor(ms: number): Promise<void> {
    this.#frozenMs = this.monotonicMs();
    await this.advance(ms);
    this.#frozenMs = undefined;
    for (const fn of this.#held.splice(0)) fn();
    await this.advance(0);
  }
}

class Rig implements AsyncDisposable {
  readonly clock = new FreezingClock();
  readonly time = new WakingTime(this.clock);
  readonly begun: string[] = [];
  readonly dues: number[] = [];
  readonly timers: EvictionTimers;
  /** What evictions wait for; nothing by default. */
  gate: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #keeping: Promise<void>;

  constructor() {
    this.timers = new EvictionTimers({
      clock: this.clock,
      time: this.time,
      evict: async ({ key }, dueMs) => {
        this.begun.push(key);
        this.dues.push(dueMs);
        await this.gate;
      },
    });
    this.#keeping = this.time.run(this.#stop.signal);
  }

  start(key: string, afterMs: number, uid = "u"): void {
    this.timers.start({ key, uid, cause: "a taint" }, afterMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#keeping;
    await this.timers.end();
    assertEquals(this.clock.pendingTimers, 0);
  }
}

Deno.test("EvictionTimers: a pod is evicted when its time has come, never before; another start meanwhile neither hastens nor delays it", async () => {
  await using rig = new Rig();
  rig.start("a/p", 10_000);
  rig.start("a/q", 0);
  await rig.clock.advance(5_000);
  rig.start("a/p", 0);
  rig.start("a/p", 3_600_000);
  await rig.clock.advance(4_999);
  assertEquals(rig.begun, ["a/q"]);
  await rig.clock.advance(1);
  assertEquals([rig.begun, rig.dues, rig.timers.size], [["a/q", "a/p"], [0, 10_000], 0]);
});

Deno.test("EvictionTimers: an eviction that was cancelled before it began does not happen; one that has begun goes on, and the pod may be evicted again", async () => {
  await using rig = new Rig();
  const gate = new Deferred();
  rig.gate = gate.promise;
  rig.start("a/p", 10_000);
  assertEquals([rig.timers.cancel("a/p"), rig.timers.cancel("a/p")], [true, false]);
  rig.start("a/q", 0);
  assertEquals(rig.timers.cancel("a/q"), false);
  rig.start("a/q", 0);
  assertEquals(rig.timers.isForAnother({ key: "a/q", uid: "v" }), true);
  await rig.clock.advance(20_000);
  assertEquals(rig.begun, ["a/q", "a/q"]);
  gate.resolve();
  await rig.clock.advance(0);
  assertEquals(rig.timers.size, 0);
});

Deno.test("EvictionTimers: no more than 64 evictions are under way; the others wait in the order in which they became due", async () => {
  await using rig = new Rig();
  const gate = new Deferred();
  rig.gate = gate.promise;
  for (let i = 0; i < 70; i++) rig.start(`a/${i}`, i);
  await rig.clock.advance(100);
  assertEquals(rig.begun.length, 64);
  assertEquals(rig.timers.cancel("a/64"), true, "it waits, and so can be called off");
  gate.resolve();
  await rig.clock.advance(0);
  assertEquals(rig.begun.slice(64), ["a/65", "a/66", "a/67", "a/68", "a/69"]);
});

Deno.test("EvictionTimers: none begins within five seconds after this process was suspended: events in the meantime may call it off", async () => {
  await using rig = new Rig();
  rig.start("a/due", 60_000);
  rig.start("a/recovered", 60_000);
  rig.start("a/soon", 601_000);
  rig.start("a/later", 610_000);
  await rig.clock.advance(1_000);
  await rig.clock.freezeFor(599_000);
  rig.start("a/new", 0);
  await rig.clock.advance(4_999);
  assertEquals(rig.begun, []);
  assertEquals(rig.timers.cancel("a/recovered"), true);
  await rig.clock.advance(1_001);
  assertEquals(rig.begun.toSorted(), ["a/due", "a/new", "a/soon"]);
  await rig.clock.advance(10_000);
  assertEquals(rig.begun.length, 4);
});

Deno.test("EvictionTimers: one that comes late by more than two seconds waits for five", async () => {
  await using rig = new Rig();
  rig.start("a/p", 10_000);
  await rig.clock.advance(9_000);
  await rig.clock.freezeFor(3_500);
  assertEquals(rig.begun, []);
  await rig.clock.advance(5_000);
  assertEquals(rig.begun, ["a/p"]);
});

Deno.test("EvictionTimers: after the end nothing is begun, no timer is left, and what was under way has ended", async () => {
  const rig = new Rig();
  const gate = new Deferred();
  rig.gate = gate.promise;
  rig.start("a/p", 10_000);
  rig.start("a/q", 0);
  let hasEnded = false;
  const ending = rig.timers.end().then(() => hasEnded = true);
  rig.start("a/r", 0);
  await rig.clock.advance(20_000);
  assertEquals([rig.begun, hasEnded], [["a/q"], false]);
  gate.resolve();
  await ending;
  await rig[Symbol.asyncDispose]();
});

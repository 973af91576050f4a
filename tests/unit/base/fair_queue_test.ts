import { assertEquals, assertRejects } from "@std/assert";
import { FairQueue, type FairQueueOptions, FakeClock, QueueFullError } from "../../../src/base/mod.ts";

/** A queue whose tasks note that they began, and end when the test says so. */
class Rig {
  readonly clock = new FakeClock();
  readonly queue: FairQueue;
  readonly began: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(options: Partial<FairQueueOptions> = {}) {
    const rates = { perSecond: 10, burst: 2, mostHeld: 100, mostHeldOfOne: 50 };
    this.queue = new FairQueue({ clock: this.clock, ...rates, ...options });
  }

  run(source: string, isWanted?: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    return this.queue.run(source, () => {
      this.began.push(source);
      this.#ends.push(resolve);
      return promise;
    }, { isWanted });
  }

  async endAll(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await this.clock.advance(0);
  }
}

Deno.test("FairQueue: sources take turns: a task at the head of its source waits for at most one task of every other", async () => {
  const rig = new Rig();
  for (let i = 0; i < 20; i++) void rig.run("greedy");
  for (const source of ["a", "b"]) void rig.run(source);
  await rig.clock.advance(300);
  assertEquals(rig.began, ["greedy", "greedy", "greedy", "a", "b"]);
  await rig.clock.advance(2000);
  assertEquals([rig.began.length, rig.clock.pendingTimers], [22, 0]);
});

Deno.test("FairQueue: burst tasks begin at once; after that perSecond begin in a second", async () => {
  const rig = new Rig({ perSecond: 100, burst: 5 });
  for (let i = 0; i < 50; i++) void rig.run("a");
  await rig.clock.advance(0);
  assertEquals(rig.began.length, 5);
  await rig.clock.advance(100);
  assertEquals(rig.began.length, 15);
  await rig.clock.advance(60_000);
  for (let i = 0; i < 10; i++) void rig.run("a").catch(() => {});
  await rig.endAll();
  assertEquals(rig.began.length, 50, "held tasks of a source are bounded, those under way too");
});

Deno.test("FairQueue: at most mostRunning tasks are under way, and of one source at most half of them", async () => {
  const rig = new Rig({ perSecond: 1000, burst: 1000, mostRunning: 5 });
  for (let i = 0; i < 8; i++) void rig.run("a");
  for (let i = 0; i < 3; i++) void rig.run("b");
  await rig.clock.advance(0);
  assertEquals(rig.began.sort(), ["a", "a", "a", "b", "b"]);
  await rig.endAll();
  assertEquals(rig.began.sort().join(""), "aaaaaabbb", "of a three at most, though two places are free");
  await rig.endAll();
  await rig.endAll();
  assertEquals([rig.began.length, rig.queue.held], [11, 0]);
});

Deno.test("FairQueue: at most mostHeldOfOne tasks of one source are held; another one is refused", async () => {
  const rig = new Rig({ mostHeldOfOne: 3 });
  for (let i = 0; i < 3; i++) void rig.run("a");
  await assertRejects(() => rig.run("a"), QueueFullError);
  void rig.run("b");
  assertEquals([rig.queue.held, rig.queue.refused], [4, 1]);
  rig.queue.close();
  assertEquals(rig.clock.pendingTimers, 0);
});

Deno.test("FairQueue: at most mostHeld tasks are held; then the newest waiting task of the source that holds most is refused", async () => {
  const rig = new Rig({ mostHeld: 6, burst: 1 });
  const refused: string[] = [];
  const run = (source: string, name: string) => void rig.run(source).catch(() => refused.push(name));
  for (let i = 0; i < 5; i++) run("a", `a${i}`);
  run("b", "b0");
  run("b", "b1");
  run("c", "c0");
  run("a", "a5");
  await rig.clock.advance(0);
  assertEquals(refused, ["a4", "a3", "a5"], "a5 is refused itself: its source holds most");
  await rig.clock.advance(1000);
  assertEquals(rig.began, ["a", "a", "b", "c", "a", "b"]);
});

Deno.test("FairQueue: a task that nobody wants any more when its turn comes is dropped, and takes no place in the rate", async () => {
  const rig = new Rig({ burst: 1, mostHeldOfOne: 4 });
  let isWanted = true;
  void rig.run("a");
  for (let i = 0; i < 3; i++) void rig.run("a", () => isWanted);
  await assertRejects(() => rig.run("a"), QueueFullError);
  isWanted = false;
  void rig.run("a");
  assertEquals(rig.queue.held, 2, "what nobody wants makes room");
  void rig.run("b", () => isWanted);
  void rig.run("c");
  await rig.clock.advance(200);
  assertEquals(rig.began, ["a", "a", "c"]);
});

Deno.test("FairQueue: a task that throws at once fails alone", async () => {
  const rig = new Rig();
  const fail = () => {
    throw new Error("at once");
  };
  await assertRejects(() => rig.queue.run("a", fail), Error, "at once");
  assertEquals(rig.queue.held, 0);
});

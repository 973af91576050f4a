import { assertEquals } from "@std/assert";
import { type TaintAttempt, TaintQueue } from "../../../../src/controllers/node_lifecycle/taint_queue.ts";

class Rig {
  nowMs = 0;
  readonly turns: string[] = [];
  readonly queue: TaintQueue;

  constructor(rate: number) {
    this.queue = new TaintQueue(rate, () => this.nowMs);
  }

  /** The turns that are taken after so many seconds. */
  async after(seconds: number, attempt: (node: string) => TaintAttempt = () => "done"): Promise<string[]> {
    this.nowMs += seconds * 1000;
    const turns: string[] = [];
    await this.queue.run((node) => {
      turns.push(node);
      return Promise.resolve(attempt(node));
    });
    return turns;
  }
}

Deno.test("TaintQueue: a node that was added once is not added again until it was removed, also after its turn", async () => {
  const rig = new Rig(1);
  assertEquals([rig.queue.add("a"), rig.queue.add("a")], [true, false]);
  assertEquals(await rig.after(0), ["a"]);
  assertEquals([rig.queue.add("a"), rig.queue.length], [false, 0]);
  assertEquals([rig.queue.remove("a"), rig.queue.remove("a"), rig.queue.add("a")], [true, false, true]);
  assertEquals(await rig.after(1), ["a"]);
});

Deno.test("TaintQueue: nodes have their turns in the order of their times: when they were added, or are to be looked at again", async () => {
  const rig = new Rig(1000);
  rig.queue.add("a");
  rig.nowMs = 10;
  rig.queue.add("b");
  rig.queue.remove("a");
  rig.nowMs = 20;
  rig.queue.add("a");
  assertEquals(await rig.after(0), ["b"], "there is one token");
  assertEquals(await rig.after(0.001, () => ({ retryInMs: 50 })), ["a"]);
  rig.queue.add("c");
  assertEquals(await rig.after(0.001), ["c"]);
  assertEquals(await rig.after(0.001), [], "a is not due yet");
  assertEquals(await rig.after(0.1), ["a"]);
});

Deno.test("TaintQueue: a turn takes a token, also where the first node is not due yet; there is one at the beginning, then `rate` a second", async () => {
  const rig = new Rig(0.1);
  for (const node of ["a", "b", "c"]) rig.queue.add(node);
  assertEquals(await rig.after(0), ["a"]);
  assertEquals(await rig.after(9.9), []);
  assertEquals(await rig.after(0.1, () => ({ retryInMs: 11_000 })), ["b"]);
  assertEquals(await rig.after(3600), ["c"], "tokens are not saved");
  assertEquals(await rig.after(10), ["b"]);
  rig.queue.add("d");
  assertEquals(await rig.after(10, () => ({ retryInMs: 5_000 })), ["d"]);
  assertEquals(await rig.after(10), ["d"]);
});

Deno.test("TaintQueue: a token is spent on a node that is not due", async () => {
  const rig = new Rig(1);
  rig.queue.add("a");
  assertEquals(await rig.after(0, () => ({ retryInMs: 1_500 })), ["a"]);
  assertEquals(await rig.after(1), []);
  assertEquals(await rig.after(0.6), [], "due, but the token was taken 0.6 s ago");
  assertEquals(await rig.after(0.4), ["a"]);
});

Deno.test("TaintQueue: with another rate there is a token only if there was one before; with none there is none until the rate changes", async () => {
  const rig = new Rig(0.1);
  rig.queue.setRate(0.01);
  for (const node of ["a", "b", "c", "d"]) rig.queue.add(node);
  assertEquals(await rig.after(0), ["a"]);
  rig.queue.setRate(0);
  assertEquals(await rig.after(3600), []);
  rig.queue.setRate(0.1);
  assertEquals(await rig.after(0), []);
  assertEquals(await rig.after(10), ["b"]);
  rig.queue.setRate(0.1);
  assertEquals(await rig.after(10), ["c"], "the same rate leaves what there is");
});

Deno.test("TaintQueue with no rate from the beginning lets one node pass, as upstream's", async () => {
  const rig = new Rig(0);
  rig.queue.setRate(0);
  for (const node of ["a", "b"]) rig.queue.add(node);
  assertEquals([await rig.after(0), await rig.after(3600)], [["a"], []]);
});

Deno.test("TaintQueue: a node removed during its turn is not looked at again", async () => {
  const rig = new Rig(1);
  rig.queue.add("a");
  const removing = (node: string): TaintAttempt => {
    rig.queue.remove(node);
    return { retryInMs: 0 };
  };
  assertEquals(await rig.after(0, removing), ["a"]);
  assertEquals([await rig.after(60), rig.queue.length], [[], 0]);
});

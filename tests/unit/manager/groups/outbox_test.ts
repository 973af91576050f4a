import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { Outbox } from "../../../../src/manager/groups/outbox.ts";

function rig() {
  const clock = new FakeClock();
  const sent: (readonly string[])[] = [];
  const outbox = new Outbox<string>({ postMessage: (messages) => sent.push(messages) }, { clock, pauseMs: 2 });
  return { clock, sent, outbox };
}

Deno.test("Outbox: messages arrive in the order in which they were posted; Outbox: the first after a pause goes out at the end of the turn, what follows within 2 ms together after it", async () => {
  const { clock, sent, outbox } = rig();
  outbox.postMessage("a");
  outbox.postMessage("b");
  assertEquals(sent, []);
  await Promise.resolve();
  assertEquals(sent, [["a", "b"]]);
  outbox.postMessage("c");
  await clock.advance(1);
  outbox.postMessage("d");
  assertEquals(sent.length, 1);
  await clock.advance(1);
  assertEquals(sent, [["a", "b"], ["c", "d"]]);
  await clock.advance(5);
  outbox.postMessage("e");
  await Promise.resolve();
  assertEquals(sent.at(-1), ["e"]);
});

Deno.test("Outbox: what is to be transferred goes with its message", async () => {
  const transfers: (Transferable[] | undefined)[] = [];
  const outbox = new Outbox<number>({ postMessage: (_, transfer) => transfers.push(transfer) }, {
    clock: new FakeClock(),
    pauseMs: 2,
  });
  const buffers = [new ArrayBuffer(1), new ArrayBuffer(2)];
  outbox.postMessage(1, [buffers[0]]);
  outbox.postMessage(2);
  outbox.postMessage(3, [buffers[1]]);
  await Promise.resolve();
  assertEquals(transfers, [buffers]);
});

Deno.test("Outbox: flush sends what waits at once, once", async () => {
  const { clock, sent, outbox } = rig();
  outbox.flush();
  outbox.postMessage("a");
  await Promise.resolve();
  outbox.postMessage("b");
  outbox.flush();
  assertEquals(sent, [["a"], ["b"]]);
  assertEquals(clock.pendingTimers, 0);
  outbox.postMessage("c");
  await clock.advance(2);
  assertEquals(sent, [["a"], ["b"], ["c"]]);
});

Deno.test("Outbox: after close nothing is sent, and no timer is left", async () => {
  const { clock, sent, outbox } = rig();
  outbox.postMessage("a");
  await Promise.resolve();
  outbox.postMessage("b");
  outbox.close();
  outbox.postMessage("c");
  await clock.advance(10);
  assertEquals([sent, clock.pendingTimers], [[["a"]], 0]);
});

import { assertEquals } from "@std/assert";
import { Deferred, FakeClock } from "../../../../src/base/mod.ts";
import { NestedOperations, PendingOperations } from "../../../../src/controllers/volumes/mod.ts";

const HOUR_MS = 3_600_000;

const fail = () => Promise.reject(new Error("x"));
const succeed = () => Promise.resolve();

Deno.test('PendingOperations: "One operation runs at a time for each name"', async () => {
  const ended: string[] = [];
  const operations = new PendingOperations({ clock: new FakeClock(), onEnd: (name) => ended.push(name) });
  const gate = new Deferred();
  assertEquals(operations.start("a", () => gate.promise), "started");
  assertEquals([operations.start("a", succeed), operations.start("b", succeed)], ["running", "started"]);
  assertEquals(operations.isRunning("a"), true);
  gate.resolve();
  await operations.idle();
  assertEquals([operations.isRunning("a"), ended.sort()], [false, ["a", "b"]]);
});

Deno.test(
  'PendingOperations: "An operation that failed is not started again for 500 ms", then twice as long, up to 122 s',
  async () => {
    const clock = new FakeClock();
    const operations = new PendingOperations({ clock });
    const windows: number[] = [];
    for (let i = 0; i < 11; i++) {
      assertEquals(operations.start("a", fail), "started");
      await operations.idle();
      assertEquals(operations.start("a", fail), "backing off");
      const waitMs = operations.retryAtMs("a")! - clock.monotonicMs();
      windows.push(waitMs);
      await clock.advance(waitMs - 1);
      assertEquals(operations.start("a", fail), "backing off", "at the very end it is too early still");
      await clock.advance(1);
    }
    assertEquals(windows, [501, 1001, 2001, 4001, 8001, 16_001, 32_001, 64_001, 122_001, 122_001, 122_001]);
  },
);

Deno.test('PendingOperations: "An operation that succeeds starts over"', async () => {
  const clock = new FakeClock();
  const operations = new PendingOperations({ clock });
  for (const run of [fail, fail, succeed, fail]) {
    assertEquals(operations.start("a", run), "started");
    await operations.idle();
    if (run !== succeed) await clock.advance(operations.retryAtMs("a")! - clock.monotonicMs());
  }
  assertEquals(clock.monotonicMs() - new FakeClock().monotonicMs(), 501 + 1001 + 501);
});

Deno.test('PendingOperations: "A failure that is not retried for an hour is forgotten"', async () => {
  const clock = new FakeClock();
  const operations = new PendingOperations({ clock });
  for (let i = 0; i < 2; i++) {
    operations.start("a", fail);
    await operations.idle();
    await clock.advance(HOUR_MS + 1);
    operations.start("other", succeed);
    await operations.idle();
  }
  operations.start("a", fail);
  await operations.idle();
  assertEquals(operations.retryAtMs("a")! - clock.monotonicMs(), 501);
});

Deno.test("PendingOperations tells what an operation failed with, once its name is free", async () => {
  const errors: unknown[] = [];
  const operations: PendingOperations = new PendingOperations({
    clock: new FakeClock(),
    onEnd: (name, error) => errors.push(operations.isRunning(name), (error as Error).message),
  });
  operations.start("a", () => {
    throw new Error("at once");
  });
  await operations.idle();
  assertEquals(errors, [false, "at once"]);
});

const A = { volume: "v", node: "a" };
const B = { volume: "v", node: "b" };
const WHOLE = { volume: "v", node: "" };

Deno.test(
  'NestedOperations: "Operations on one volume run at the same time only if each is on one node, and no two on the same"',
  async () => {
    const operations = new NestedOperations({ clock: new FakeClock() });
    const gate = new Deferred();
    const wait = () => gate.promise;
    assertEquals(operations.start(A, "attach", wait), "started");
    assertEquals(operations.start(B, "attach", wait), "started");
    assertEquals(operations.start(A, "detach", wait), "running");
    assertEquals(operations.start(WHOLE, "attach", wait), "running");
    assertEquals(operations.start({ volume: "w", node: "" }, "attach", wait), "started");
    assertEquals(operations.start({ volume: "w", node: "a" }, "attach", wait), "running");
    assertEquals([A, B, WHOLE].map((key) => operations.isRunning(key)), [true, true, true]);
    assertEquals(operations.isRunning({ volume: "u", node: "a" }), false);
    gate.resolve();
    await operations.idle();
    assertEquals([A, B, WHOLE].map((key) => operations.isRunning(key)), [false, false, false]);
  },
);

Deno.test(
  'NestedOperations: "An operation that failed is not started again for 500 ms", then twice as long, up to 122 s',
  async () => {
    const clock = new FakeClock();
    const ended: unknown[] = [];
    const operations = new NestedOperations({ clock, onEnd: (key) => ended.push(key) });
    const windows: number[] = [];
    for (let i = 0; i < 10; i++) {
      assertEquals(operations.start(A, "attach", fail), "started");
      await operations.idle();
      assertEquals(operations.start(A, "attach", fail), "backing off");
      windows.push(operations.retryAtMs(A, "attach")! - clock.monotonicMs());
      await clock.advance(windows[i]);
    }
    assertEquals(windows, [501, 1001, 2001, 4001, 8001, 16_001, 32_001, 64_001, 122_001, 122_001]);
    assertEquals(ended, Array(10).fill(A));
  },
);

Deno.test('NestedOperations: "An operation with another name does not wait for that; its delay starts over"', async () => {
  const clock = new FakeClock();
  const operations = new NestedOperations({ clock });
  for (const name of ["attach", "detach", "attach"]) {
    assertEquals(operations.retryAtMs(A, name), undefined);
    assertEquals(operations.start(A, name, fail), "started");
    await operations.idle();
    assertEquals(operations.retryAtMs(A, name)! - clock.monotonicMs(), 501);
  }
});

Deno.test('NestedOperations: "An operation that succeeds starts over"', async () => {
  const clock = new FakeClock();
  const operations = new NestedOperations({ clock });
  for (const run of [fail, fail, succeed, fail]) {
    await clock.advance(1001);
    operations.start(A, "attach", run);
    await operations.idle();
  }
  assertEquals(operations.retryAtMs(A, "attach")! - clock.monotonicMs(), 501);
});

Deno.test(
  'NestedOperations: "A failure on a node counts for the whole volume and the other way round", unless there is one of the key',
  async () => {
    const clock = new FakeClock();
    const operations = new NestedOperations({ clock });
    operations.start(A, "attach", fail);
    await operations.idle();
    assertEquals(operations.start(WHOLE, "attach", fail), "backing off");
    await clock.advance(501);
    operations.start(WHOLE, "attach", fail); // takes over the key, and what was waited for it
    await operations.idle();
    assertEquals(operations.retryAtMs(A, "attach")! - clock.monotonicMs(), 1001);
    assertEquals(operations.start(B, "attach", fail), "backing off");
    await clock.advance(1001);
    operations.start(B, "detach", fail);
    await operations.idle();
    assertEquals(operations.start(A, "detach", succeed), "started", "it is another node's");
    await operations.idle();
    assertEquals(operations.retryAtMs(B, "detach")! - clock.monotonicMs(), 501);
  },
);

Deno.test('NestedOperations: "A failure that is not retried for an hour is forgotten"', async () => {
  const clock = new FakeClock();
  const operations = new NestedOperations({ clock });
  for (let i = 0; i < 2; i++) {
    operations.start(A, "attach", fail);
    await operations.idle();
    await clock.advance(HOUR_MS + 1);
    operations.start({ volume: "other", node: "" }, "attach", succeed);
    await operations.idle();
  }
  operations.start(A, "attach", fail);
  await operations.idle();
  assertEquals(operations.retryAtMs(A, "attach")! - clock.monotonicMs(), 501);
});

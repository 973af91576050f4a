import { assertEquals } from "@std/assert";
import { FakeWorld, settle, sleep } from "../../../../src/base/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { defineController, type JournalEntry, queueController } from "../../../../src/controllers/running/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { fakeContext } from "../context.ts";

interface Setup {
  readonly sync?: (key: string) => Promise<void>;
  readonly onError?: () => "retry" | "forget";
  readonly synced?: Promise<void>;
}

/** A controller called `x-controller` at work on one queue. */
function setUp({ sync = () => Promise.resolve(), onError, synced = Promise.resolve() }: Setup = {}) {
  const world = new FakeWorld();
  const stop = new AbortController();
  const worked: string[] = [];
  const queue = new WorkQueue({ world });
  const journal: JournalEntry[] = [];
  let running = Promise.resolve();
  const controller = defineController({
    name: "x-controller",
    build: (context) =>
      queueController({
        name: "x-controller",
        world: context.world,
        journal: context.journal,
        queue,
        caches: [{ whenSynced: synced }],
        workers: 2,
        sync: async (key) => {
          worked.push(key);
          await sync(key);
        },
        onError,
      }),
  });
  const start = async () => {
    const built = await controller.build(
      fakeContext({ world, client: {}, informers: [], journal: { record: (entry) => journal.push(entry) } }),
      {},
    );
    running = built!.run(stop.signal);
    await settle();
  };
  const end = async () => {
    stop.abort();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  };
  const lines = (severity: string) =>
    world.log.lines.filter((line) => line.severity === severity && line.verbosity === 0)
      .map(({ logger, message }) => `${logger}: ${message}`);
  return { world, stop, queue, worked, journal, start, end, lines };
}

Deno.test("queueController says under the controller's name what it does", async () => {
  const { lines, start, end } = setUp();
  await start();
  await end();
  assertEquals(lines("info"), [
    "x-controller: Starting controller",
    "x-controller: Waiting for caches to sync",
    "x-controller: Caches are synced",
    "x-controller: Shutting down controller",
  ]);
});

Deno.test("queueController: no key is worked on before the caches have synced", async () => {
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const { queue, worked, start, end } = setUp({ synced });
  queue.add("a/b");
  await start();
  assertEquals(worked, []);
  resolve();
  await settle();
  assertEquals(worked, ["a/b"]);
  await end();
});

Deno.test("queueController: if the caches never sync, run still ends when the signal aborts", async () => {
  const { queue, worked, start, end } = setUp({ synced: new Promise(() => {}) });
  queue.add("a/b");
  await start();
  await end();
  assertEquals([worked, queue.isShuttingDown], [[], true]);
});

Deno.test("queueController: a key that fails is logged and tried again, ever more rarely, unless onError decides about it", async () => {
  const sync = () => Promise.reject(new Error("broken"));
  const retried = setUp({ sync });
  retried.queue.add("a/b");
  await retried.start();
  await retried.world.clock.advance(5 + 10);
  assertEquals(retried.worked.length, 3);
  assertEquals(retried.lines("error"), Array(3).fill("x-controller: Sync failed, will retry"));
  await retried.end();

  const forgotten = setUp({ sync, onError: () => "forget" });
  forgotten.queue.add("a/b");
  await forgotten.start();
  await forgotten.world.clock.advance(60_000);
  assertEquals([forgotten.worked.length, forgotten.lines("error")], [1, []]);
  await forgotten.end();
});

Deno.test("queueController: a cache that lags behind our own writes is not worth a line in the log", async () => {
  const asked: unknown[] = [];
  const { world, queue, worked, lines, start, end } = setUp({
    sync: () => Promise.reject(new StaleCacheError("behind")),
    onError: () => {
      asked.push("onError");
      return "forget";
    },
  });
  queue.add("a/b");
  await start();
  await world.clock.advance(5);
  assertEquals([worked.length, lines("error"), asked], [2, [], []]);
  await end();
});

Deno.test("queueController: failures after the signal has aborted are neither reported nor passed to onError", async () => {
  const asked: unknown[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  const { queue, lines, start, end } = setUp({
    sync: () => promise,
    onError: () => {
      asked.push("onError");
      return "retry";
    },
  });
  queue.add("a/b");
  await start();
  const ended = end();
  reject(new Error("cut"));
  await ended;
  assertEquals([lines("error"), asked], [[], []]);
});

Deno.test("queueController: each sync, however it ends, is in the journal once", async () => {
  let failures = 1;
  const { world, queue, journal, start, end } = setUp({
    sync: async () => {
      await sleep(world.clock, 30);
      if (failures-- > 0) throw new Error("broken");
    },
  });
  queue.add("a/b", "added");
  await world.clock.advance(20);
  await start();
  await world.clock.advance(30);
  queue.add("a/c", "changed");
  await world.clock.advance(60);
  const startMs = Date.UTC(2026, 0, 1);
  assertEquals(journal.map(({ key, record: { causes, outcome } }) => [key, causes.texts, outcome]), [
    ["a/b", ["added"], "retry"],
    ["a/c", ["changed"], "done"],
    ["a/b", ["retry: broken"], "done"],
  ]);
  const [{ controller, record: { waitedMs, startedMs, durationMs, error } }] = journal;
  assertEquals([controller, waitedMs, startedMs, durationMs], ["x-controller", 20, startMs + 20, 30]);
  assertEquals(error, "broken");
  await end();
});

Deno.test("queueController: run resolves when all workers have ended", async () => {
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  const { queue, start, end } = setUp({ sync: () => synced });
  queue.add("a/b");
  await start();
  let hasEnded = false;
  const ending = end().then(() => hasEnded = true);
  await settle();
  assertEquals(hasEnded, false);
  resolve();
  await ending;
});

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Deferred, FakeWorld, InvariantError, settle, SystemClock } from "../../../src/base/mod.ts";
import { Causes, runWorkers, WorkQueue, type WorkSource } from "../../../src/workqueue/mod.ts";

function setUp() {
  const world = new FakeWorld();
  const stop = new AbortController();
  return { world, stop, signal: stop.signal, queue: new WorkQueue({ world, name: "test" }) };
}

Deno.test("runWorkers: a key that succeeded is forgotten; one that failed is added again rate limited", async () => {
  const { world, stop, signal, queue } = setUp();
  const runs: [atMs: number, causes: readonly string[]][] = [];
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal,
    sync: (_key, causes) => {
      runs.push([world.clock.monotonicMs(), causes.texts]);
      return runs.length < 3 ? Promise.reject(new Error("no such pod")) : Promise.resolve();
    },
  });
  queue.add("a", "pod added");
  await world.clock.advance(1000);
  assertEquals(runs, [[0, ["pod added"]], [5, ["retry: no such pod"]], [15, ["retry: no such pod"]]]);
  assertEquals(queue.numRequeues("a"), 0);
  assertEquals(world.log.lines.map(({ severity, message, fields }) => [severity, message, fields.key]), [
    ["error", "Sync failed, will retry", "a"],
    ["error", "Sync failed, will retry", "a"],
  ]);
  stop.abort();
  await running;
});

Deno.test("runWorkers lets onError decide to give a key up", async () => {
  const { world, stop, signal, queue } = setUp();
  let runs = 0;
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal,
    sync: () => {
      runs++;
      throw new Error("thrown before anything was awaited");
    },
    onError: (key) => queue.numRequeues(key) < 2 ? "retry" : "forget",
  });
  queue.add("a");
  await world.clock.advance(1000);
  assertEquals([runs, queue.numRequeues("a"), world.log.lines.length], [3, 0, 0]);
  stop.abort();
  await running;
});

Deno.test("runWorkers retries a key when onError itself throws", async () => {
  const { world, stop, signal, queue } = setUp();
  let runs = 0;
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal,
    sync: () => ++runs < 2 ? Promise.reject(new Error("first")) : Promise.resolve(),
    onError: () => {
      throw new Error("second");
    },
  });
  queue.add("a");
  await world.clock.advance(5);
  assertEquals(runs, 2);
  stop.abort();
  await running;
});

Deno.test("runWorkers: once signal has aborted no work is started; work under way is waited for", async () => {
  const { world, stop, signal, queue } = setUp();
  const release = new Deferred();
  const started: string[] = [];
  let ended = false;
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal,
    sync: (key) => {
      started.push(key);
      return release.promise;
    },
  }).then(() => ended = true);
  queue.add("a");
  queue.add("b");
  await settle();
  stop.abort();
  await settle();
  assertEquals([started, ended], [["a"], false]);
  release.resolve();
  await running;
  assertEquals(started, ["a"]);
});

Deno.test("runWorkers with a signal that aborted before ends at once", async () => {
  const { world, queue } = setUp();
  queue.add("a");
  await runWorkers(queue, { workers: 3, world, signal: AbortSignal.abort(), sync: () => Promise.reject() });
  assertEquals(world.log.lines, []);
});

Deno.test("runWorkers restarts a worker a second after it ended by an error of its own", async () => {
  const { world, stop, signal, queue } = setUp();
  const runs: number[] = [];
  const running = runWorkers(queue, {
    workers: 1,
    world,
    signal,
    sync: (key) => {
      runs.push(world.clock.monotonicMs());
      if (runs.length === 1) queue.done(key); // misuse: the worker's own done throws
      return Promise.resolve();
    },
  });
  queue.add("a");
  queue.add("b");
  await world.clock.advance(2000);
  assertEquals(runs, [0, 1000]);
  assertEquals(world.log.lines.map(({ message }) => message), ["Worker ended by an error"]);
  stop.abort();
  await running;
});

Deno.test("runWorkers: work that never waits does not keep the event loop from turning", async () => {
  const { stop, signal, queue, world } = setUp();
  let runs = 0;
  const running = runWorkers(queue, {
    workers: 4,
    world,
    signal,
    sync: (key) => {
      runs++;
      queue.add(key);
      return Promise.resolve();
    },
  });
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  await new SystemClock().nextTurn(); // would never resolve if microtasks went on for ever
  assert(runs > 0);
  stop.abort();
  await running;
});

Deno.test("runWorkers: an InvariantError ends all workers, once work under way has ended, and no other key is worked on", async () => {
  const { world, signal, queue } = setUp();
  const underWay = new Deferred();
  const synced: string[] = [];
  const running = runWorkers(queue, {
    workers: 2,
    world,
    signal,
    sync: async (key) => {
      synced.push(key);
      if (key === "slow") await underWay.promise;
      if (key === "bad") throw new InvariantError("it has two owners");
    },
  });
  let end: unknown;
  running.catch((error) => end = error);
  for (const key of ["slow", "bad", "other"]) queue.add(key);
  await settle();
  assertEquals([synced, end], [["slow", "bad"], undefined]);
  underWay.resolve();
  await assertRejects(() => running, InvariantError, "it has two owners");
  assertEquals([synced, queue.length, world.clock.pendingTimers], [["slow", "bad"], 0, 0]);
});

Deno.test("runWorkers: no key runs in two workers, and each runs after its last add", async () => {
  const { world, stop, signal, queue } = setUp();
  const active = new Set<string>();
  const lastRun = new Map<string, number>();
  const lastAdd = new Map<string, number>();
  let step = 0;
  const running = runWorkers(queue, {
    workers: 2,
    world,
    signal,
    sync: async (key) => {
      assert(!active.has(key), `${key} runs twice at once`);
      active.add(key);
      lastRun.set(key, ++step);
      await world.clock.nextTurn();
      active.delete(key);
    },
  });
  for (let i = 0; i < 1000; i++) {
    lastAdd.set(`${i % 10}`, ++step);
    queue.add(`${i % 10}`);
    if (i % 7 === 0) await world.clock.nextTurn();
  }
  await settle(100);
  for (const [key, at] of lastAdd) assert(lastRun.get(key)! > at, `${key} did not run after its last add`);
  assertEquals(world.log.lines, []);
  stop.abort();
  await running;
});

Deno.test("runWorkers: done is called for every key that was handed out, however its work ended", async () => {
  const world = new FakeWorld();
  const stop = new AbortController();
  const keys = ["works", "fails", "aborts", "comes after the abort"];
  const done: string[] = [];
  const queue: WorkSource<string> = {
    name: "",
    get() {
      const key = keys.shift();
      return Promise.resolve(key === undefined ? undefined : { key, causes: new Causes(), waitedMs: 0 });
    },
    done: (key) => void done.push(key),
    forget: () => {},
    addRateLimited: () => {},
    shutDown: () => {},
  };
  const sync = (key: string) => {
    if (key === "aborts") stop.abort();
    return key === "works" ? Promise.resolve() : Promise.reject(new Error(key));
  };
  await runWorkers(queue, { world, workers: 1, signal: stop.signal, sync, onError: () => "forget" });
  assertEquals(done, ["works", "fails", "aborts", "comes after the abort"]);
});

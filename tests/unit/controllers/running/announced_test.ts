import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { announced, periodicController } from "../../../../src/controllers/running/mod.ts";

const NAME = "tea-controller";

function lines({ log }: FakeWorld): string[] {
  return log.lines.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
}

Deno.test("announced: the lines name a controller in a value, or in the text where it has a title", async () => {
  const world = new FakeWorld();
  const work = () => Promise.resolve(world.log.info("works"));
  await announced({ log: world.log, name: NAME }, work);
  await announced({ log: world.log, name: NAME, title: "tea maker" }, work);
  assertEquals(lines(world), [
    `Starting controller {"controller":"${NAME}"}`,
    "works {}",
    `Shutting down controller {"controller":"${NAME}"}`,
    "Starting tea maker {}",
    "works {}",
    "Shutting down tea maker {}",
  ]);
  const other = new FakeWorld();
  await assertRejects(() => announced({ log: other.log, name: NAME }, () => Promise.reject(new Error("no tea"))));
  assertEquals(lines(other).length, 1, "it did not end, it failed");
});

Deno.test("periodicController passes when its caches have synced, then after each pause, and never without them", async () => {
  const world = new FakeWorld();
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  let passes = 0;
  const options = {
    name: NAME,
    title: "tea maker",
    world,
    periodMs: 60_000,
    pass: () => Promise.resolve(void passes++),
  };
  const running = periodicController({ ...options, caches: [{ whenSynced: synced.promise }] }).run(stop.signal);
  await world.clock.advance(120_000);
  assertEquals(passes, 0);
  synced.resolve();
  await world.clock.advance(60_000);
  assertEquals(passes, 2);
  stop.abort();
  await running;
  await periodicController({ ...options, caches: [{ whenSynced: new Promise(() => {}) }] }).run(stop.signal);
  assertEquals([passes, world.clock.pendingTimers], [2, 0]);
});

import { assert, assertEquals } from "@std/assert";
import { Deferred, FakeWorld } from "../../../src/base/mod.ts";
import { CandidatePause } from "../../../src/election/candidate_pause.ts";

/** Pauses of 2 s and more, releases that a test announces, and how long a pause took. */
function setUp() {
  const world = new FakeWorld();
  const releases: Deferred[] = [];
  const whenReleased = () => {
    const release = new Deferred();
    releases.push(release);
    return release.promise;
  };
  const pause = new CandidatePause({ world, retryPeriodMs: 2000, whenReleased });
  const stop = new AbortController();
  const wait = async () => {
    const startedMs = world.clock.monotonicMs();
    const goesOn = await pause.wait(stop.signal);
    return { goesOn, tookMs: world.clock.monotonicMs() - startedMs };
  };
  return { world, releases, stop, wait };
}

Deno.test("CandidatePause: a pause is the retry period and up to 1.2 times as much again, at random", async () => {
  const { world, wait } = setUp();
  const took = new Set<number>();
  for (let i = 0; i < 100; i++) {
    const waiting = wait();
    await world.clock.advance(4400);
    took.add((await waiting).tookMs);
  }
  assert([...took].every((ms) => ms >= 2000 && ms < 4400) && took.size > 50, `${[...took]}`);
});

Deno.test("CandidatePause: a release ends it early; one that was announced during a try lets it end at once", async () => {
  const { world, releases, wait } = setUp();
  const first = wait();
  await world.clock.advance(500);
  releases[0].resolve();
  assertEquals(await first, { goesOn: true, tookMs: 500 });
  const second = wait();
  await world.clock.advance(4400);
  assert((await second).tookMs >= 2000, "that release is over");
  releases[1].resolve();
  await world.clock.advance(100);
  assertEquals(await wait(), { goesOn: true, tookMs: 0 });
  const last = wait();
  await world.clock.advance(4400);
  assert((await last).tookMs >= 2000, "once");
});

Deno.test("CandidatePause: only one promise of whenReleased is awaited at a time, however many pauses pass", async () => {
  const { world, releases, wait } = setUp();
  for (let i = 0; i < 100; i++) {
    const waiting = wait();
    await world.clock.advance(4400);
    await waiting;
  }
  assertEquals(releases.length, 1);
});

Deno.test("CandidatePause ends when the signal aborts, and leaves no timer", async () => {
  const { world, stop, wait } = setUp();
  const waiting = wait();
  await world.clock.advance(100);
  stop.abort();
  assertEquals(await waiting, { goesOn: false, tookMs: 100 });
  assertEquals([(await wait()).goesOn, world.clock.pendingTimers], [false, 0]);
});

/** Random histories of leases and taints: nobody is evicted whom upstream's rules would leave alone. */
import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { FakeClock } from "../../src/base/mod.ts";
import { WakingTime } from "../../src/controllers/nodes/mod.ts";
import { EvictionTimers } from "../../src/controllers/taint_eviction/timers.ts";
import { LifecycleRig, node } from "../unit/controllers/node_lifecycle/lifecycle_rig.ts";

const GRACE_SECONDS = 50;

/** What is known of a node by upstream's rules, whatever the order of its steps. */
interface Known {
  readonly zone: string;
  signMs: number;
  isTainted: boolean;
}

interface Step {
  readonly seconds: number;
  /** Numbers of the nodes that give a sign of life at its end. */
  readonly alive: readonly number[];
}

const STEP: fc.Arbitrary<Step> = fc.record({
  seconds: fc.integer({ min: 1, max: 40 }),
  alive: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }),
});

Deno.test("HealthMonitor taints only nodes that were silent for their grace, while others are well, at the rate of their zone", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("north", "south"), { minLength: 1, maxLength: 5 }),
      fc.array(STEP, { minLength: 3, maxLength: 12 }),
      async (zones, steps) => {
        const rig = new LifecycleRig();
        rig.begin(...zones.map((zone, i) => node(`n${i}`, { zone })));
        await rig.pass(0);
        const known = zones.map((zone): Known => ({ zone, signMs: rig.context.time.nowMs(), isTainted: false }));
        const taintedIn: Record<string, number[]> = { north: [], south: [] };
        for (const { seconds, alive } of steps) {
          await rig.advance(seconds);
          for (const i of alive.filter((i) => i < zones.length)) {
            if (rig.ready(`n${i}`) === "Unknown") rig.say(`n${i}`, "True");
            rig.renew(`n${i}`);
          }
          await rig.pass(0);
          const nowMs = rig.context.time.nowMs();
          await rig.taint(1);
          for (const [i, each] of known.entries()) {
            if (alive.includes(i)) each.signMs = nowMs;
            const isTainted = rig.taints(`n${i}`).length > 0;
            if (isTainted && !each.isTainted) {
              assert(nowMs - each.signMs > (GRACE_SECONDS - 2) * 1000, `n${i} was tainted within its grace`);
              assert(known.some((_, j) => rig.ready(`n${j}`) === "True"), `n${i} was tainted in a blackout`);
              taintedIn[each.zone].push(nowMs);
            }
            each.isTainted = isTainted;
            if (alive.includes(i)) assertEquals(isTainted, false, `n${i} is well and tainted`);
          }
          // Two within a second: what a zone has saved while it was whole, and a rate of one in ten seconds.
          for (const times of Object.values(taintedIn)) {
            const latest = times.filter((time) => time > nowMs - 10_000);
            assert(latest.length <= 2, `${latest.length} nodes of a zone were tainted within ten seconds`);
          }
        }
      },
    ),
    { numRuns: 40 },
  ));

Deno.test("EvictionTimers evicts a pod when it was tainted without a break for as long as it tolerates, to the millisecond", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 12 }),
      async (tolerated, intervals) => {
        const clock = new FakeClock();
        const time = new WakingTime(clock);
        const stop = new AbortController();
        const keeping = time.run(stop.signal);
        let evictedMs: number | undefined;
        const timers = new EvictionTimers({
          clock,
          time,
          evict: () => {
            evictedMs ??= clock.monotonicMs();
            return Promise.resolve();
          },
        });
        let expectedMs: number | undefined;
        for (const [i, seconds] of intervals.entries()) {
          const isTainted = i % 2 === 0;
          if (isTainted) {
            timers.start({ key: "a/p", uid: "u", cause: "a taint" }, tolerated * 1000);
            if (tolerated < seconds || tolerated === 0) expectedMs ??= clock.monotonicMs() + tolerated * 1000;
          } else timers.cancel("a/p");
          await clock.advance(seconds * 1000 - 1);
          assertEquals(evictedMs, expectedMs);
          if (evictedMs !== undefined) break;
          await clock.advance(1);
          if (evictedMs !== undefined) break; // at the very moment of the change either may be first
        }
        stop.abort();
        await keeping;
        await timers.end();
      },
    ),
    { numRuns: 100 },
  ));

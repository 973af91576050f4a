import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Health } from "../../../src/manager/health.ts";
import { watchMemory } from "../../../src/manager/memory_watch.ts";

const MIB = 2 ** 20;
const REASON = "the process uses 118 MiB, and its ceiling is 109 of --memory-limit's 128 MiB";

/** A process that uses `usedMiB`, and in which something can be freed if `frees`. */
function setUp(limitMiB: number, { frees = true } = {}) {
  const world = new FakeWorld();
  const health = new Health();
  const stop = new AbortController();
  const relieved: string[] = [];
  const process = { usedMiB: 60, looks: 0 };
  const watching = watchMemory(world, {
    limitBytes: limitMiB * MIB,
    residentBytes: () => {
      process.looks++;
      return (process.usedMiB + Math.min(40, limitMiB * 0.05)) * MIB;
    },
    health,
    relieve: (reason) => {
      relieved.push(reason);
      return frees;
    },
    signal: stop.signal,
  });
  const lines = () => world.log.lines.map(({ severity, message, fields }) => [severity, message, fields]);
  const end = async () => {
    stop.abort();
    await watching;
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, health, process, relieved, lines, end };
}

Deno.test("watchMemory: at the start a line says the limit, the ceiling of 85 % of it, and about how many pods fit below that", async () => {
  const { lines, end } = setUp(128);
  const fields = { limitMiB: 128, ceilingMiB: 109, pods: 15000 };
  assertEquals(lines(), [["info", "Memory is limited; about so many pods fit below the ceiling", fields]]);
  await end();
  const tight = setUp(50);
  assertEquals(tight.lines(), [
    ["warning", "Memory is limited to less than a process with controllers needs", {
      limitMiB: 50,
      ceilingMiB: 43,
      pods: 0,
    }],
  ]);
  await tight.end();
});

Deno.test("watchMemory: above the ceiling, not counting pages of code, memory is relieved, at most once in ten seconds; every reason names the ceiling", async () => {
  const { world, process, relieved, end } = setUp(128);
  await world.clock.advance(5000);
  assertEquals(relieved, []);
  process.usedMiB = 118;
  await world.clock.advance(9000);
  assertEquals(relieved, [REASON]);
  await world.clock.advance(2000);
  assertEquals(relieved, [REASON, REASON]);
  process.usedMiB = 100;
  await world.clock.advance(60_000);
  assertEquals(relieved.length, 2);
  await end();
});

Deno.test("watchMemory says so if nothing can be freed", async () => {
  const { world, process, lines, end } = setUp(128, { frees: false });
  process.usedMiB = 118;
  await world.clock.advance(1000);
  assertEquals(lines().at(-1), ["error", "Memory is above its ceiling, and nothing can be freed", { reason: REASON }]);
  await end();
});

Deno.test("watchMemory: above the ceiling the check memory is not ready", async () => {
  const { world, health, process, end } = setUp(128);
  const readiness = () => health.readiness().map(({ reason }) => reason);
  assertEquals([readiness(), health.failures()], [[undefined], []]);
  process.usedMiB = 118;
  await world.clock.advance(1000);
  assertEquals([readiness(), health.failures()], [[REASON], []]);
  process.usedMiB = 100;
  await world.clock.advance(1000);
  assertEquals(readiness(), [undefined]);
  await end();
});

Deno.test("watchMemory: without a limit nothing is measured", async () => {
  const { world, health, process, lines, end } = setUp(0);
  await world.clock.advance(5000);
  assertEquals([process.looks, lines(), health.readiness().map(({ name }) => name)], [0, [], ["ping"]]);
  await end();
});

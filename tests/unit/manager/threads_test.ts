import { CONTROLLERS, needsOf } from "../../../src/controllers/mod.ts";
import { OpenSupplies } from "../../../src/manager/mod.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { type Transport, TransportClientBuilder } from "../../../src/client/mod.ts";
import { SharedFence } from "../../../src/election/mod.ts";
import type { GroupThread } from "../../../src/manager/groups/mod.ts";
import { Health } from "../../../src/manager/health.ts";
import { managerFlags, managerOptions } from "../../../src/manager/mod.ts";
import { Threads } from "../../../src/manager/threads.ts";

const WELL: Transport = () => Promise.resolve(new Response("ok"));

/** One group, whose thread says nothing of itself. */
function setUp(flags: readonly string[], transport: Transport = () => new Promise(() => {})) {
  const world = new FakeWorld();
  const server = "http://127.0.0.1";
  const state: { spawned: number; verbosity: number; verbosities: number[]; leading: number; spawnFailure?: Error } = {
    spawned: 0,
    leading: 0,
    verbosity: 0,
    verbosities: [],
  };
  const spawn = (): GroupThread => {
    if (state.spawnFailure) throw state.spawnFailure;
    state.spawned++;
    const postMessage: GroupThread["postMessage"] = (commands) => {
      for (const each of commands) {
        if (each.what === "start") state.verbosities.push(each.settings.verbosity);
        else if (each.what === "lead") state.leading++;
        else if (each.what === "verbosity") state.verbosities.push(each.verbosity);
      }
    };
    return { onmessage: null, onerror: null, postMessage, terminate: () => {} };
  };
  const threads = new Threads({
    world,
    options: managerOptions(managerFlags(flags)),
    rows: CONTROLLERS.filter(({ name }) => ["deployment-controller"].includes(name)),
    supplies: new OpenSupplies(world, needsOf([])),
    clients: {
      controllers: new TransportClientBuilder({ program: "kube-controller-manager", world, transport, server }),
      election: new TransportClientBuilder({ program: "kube-controller-manager", world, transport, server }).client(
        "leader-election",
      ),
      access: { transport: () => transport },
      server,
      log: () => {},
    },
    metrics: new MetricsRegistry(),
    health: new Health(),
    fence: new SharedFence(),
    verbosity: () => state.verbosity,
  }, { assignments: [{ name: "a", controllers: ["deployment-controller"] }], spawn });
  return { world, state, threads };
}

/** How long a group may take to end, and whether it is given up within 20 s. */
const TIMEOUTS: readonly (readonly [flag: string, isGivenUp: boolean])[] = [["10s", true], ["0s", false]];

for (const [timeout, isGivenUp] of TIMEOUTS) {
  Deno.test(`Threads, a Workforce: run resolves with whether all ended well; after end nothing is waited for; they ${isGivenUp ? "give up" : "wait for"} a group that does not end, with a timeout of ${timeout}`, async () => {
    const { world, threads } = setUp([`--controller-shutdown-timeout=${timeout}`]);
    const stop = new AbortController();
    let isClean: boolean | undefined;
    const running = threads.run(stop.signal).then((value) => isClean = value);
    stop.abort();
    await world.clock.advance(20_000);
    assertEquals(isClean, isGivenUp ? false : undefined);
    threads.end();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  });
}

Deno.test("Threads of a standby that keeps no caches start when it leads", async () => {
  for (const [flag, whileStandby] of [["true", 1], ["false", 0]] as const) {
    const { state, threads, world } = setUp([`--warm-standby=${flag}`], WELL);
    assertEquals([state.spawned, await threads.ask({ about: "metrics" })], [whileStandby, []]);
    const running = threads.run(new AbortController().signal);
    threads.lead();
    await world.clock.advance(0);
    assertEquals(state.spawned, 1);
    threads.end();
    await running;
  }
});

Deno.test("Threads: a standby without caches starts its threads when it becomes leader, once the API server is healthy, and not at all after the end", async () => {
  for (const ending of [false, true]) {
    let isWell = false;
    const { state, threads, world } = setUp(["--warm-standby=false"], (request) => {
      return isWell ? WELL(request) : Promise.reject(new TypeError("connection refused"));
    });
    const stop = new AbortController();
    const running = threads.run(stop.signal);
    threads.lead();
    await world.clock.advance(3000);
    assertEquals(state.spawned, 0);
    isWell = true;
    if (ending) stop.abort();
    await world.clock.advance(1000);
    assertEquals(state.spawned, ending ? 0 : 1);
    threads.end();
    await running;
    assertEquals(world.clock.pendingTimers, 0);
  }
});

Deno.test("Threads log as much as is wanted when they start, and change it when that changes", async () => {
  const { state, threads, world } = setUp(["--warm-standby=false"], WELL);
  const running = threads.run(new AbortController().signal);
  state.verbosity = 4;
  threads.setVerbosity(4); // there is none yet
  threads.lead();
  await world.clock.advance(0);
  threads.setVerbosity(2);
  await world.clock.advance(10);
  assertEquals(state.verbosities, [4, 2]);
  threads.end();
  await running;
});

Deno.test("Threads: the run ends if groups cannot be started when they are to lead", async () => {
  const { state, threads } = setUp(["--warm-standby=false"], WELL);
  state.spawnFailure = new Error("workers are not permitted");
  threads.lead();
  await assertRejects(() => threads.run(new AbortController().signal), Error, "workers are not permitted");
});

Deno.test("Threads: groups that have not started when it becomes leader must work once the API server is healthy", async () => {
  let isWell = false;
  const { state, threads, world } = setUp([], (request) => {
    return isWell ? WELL(request) : Promise.reject(new TypeError("connection refused"));
  });
  const running = threads.run(new AbortController().signal);
  threads.lead();
  await world.clock.advance(3000);
  assertEquals([state.spawned, state.leading], [1, 0]);
  isWell = true;
  await world.clock.advance(1010);
  assertEquals([state.spawned, state.leading], [1, 1]);
  threads.end();
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("Threads: the run ends if that takes longer than ten seconds, of a leader whose groups have not begun and whose API server is not well", async () => {
  const { threads, world } = setUp([], () => Promise.reject(new TypeError("connection refused")));
  let hasEnded = false;
  const running = assertRejects(
    () => threads.run(new AbortController().signal).finally(() => hasEnded = true),
    Error,
    "failed to wait for apiserver being healthy",
  );
  await world.clock.advance(20_000);
  assertEquals(hasEnded, false, "a standby may wait for as long as it takes");
  threads.lead();
  await world.clock.advance(10_000);
  await running;
  assertEquals(world.clock.pendingTimers, 0);
});

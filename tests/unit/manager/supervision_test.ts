import { assertEquals, assertMatch } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Health } from "../../../src/manager/mod.ts";
import { supervise, type Supervisor } from "../../../src/manager/supervision.ts";

/** A supervisor that remembers what it heard: status lines, and all else. */
function listener(watchdogMs?: number) {
  const heard: string[] = [];
  const statuses: string[] = [];
  const send = (message: string) => {
    for (const line of message.split("\n")) (line.startsWith("STATUS=") ? statuses : heard).push(line);
    return Promise.resolve();
  };
  return { heard, statuses, watchdogMs, send };
}

function rig() {
  const world = new FakeWorld();
  const stop = new AbortController();
  const failing = new Set<string>();
  const health = new Health();
  health.add({ name: "group-rest", run: () => failing.has("group-rest") ? "down" : undefined });
  const notReady = new Map<string, string>();
  health.add({ name: "group-jobs", run: () => undefined, isNotReady: () => notReady.get("group-jobs") });
  const doing = "Waiting for the lease";
  return { world, stop, failing, notReady, options: { world, health, signal: stop.signal, doing } };
}

/** Moves the clock in steps, so that what one timer starts is done before the next. */
async function pass(world: FakeWorld, stepsMs: readonly number[]): Promise<void> {
  for (const ms of stepsMs) await world.clock.advance(ms);
}

Deno.test("supervise: readiness is reported first, and once; stopping is reported once its signal has aborted", async () => {
  const { world, stop, options } = rig();
  const systemd = listener();
  {
    await using _supervision = supervise(systemd, options);
    await pass(world, [60_000, 60_000]);
    assertEquals(systemd.heard, ["READY=1"]);
    stop.abort();
  }
  assertEquals(systemd.heard, ["READY=1", "STOPPING=1"]);
});

Deno.test("supervise says nothing of a stop that comes after its end", async () => {
  const { stop, options } = rig();
  const systemd = listener(1000);
  await supervise(systemd, options)[Symbol.asyncDispose]();
  stop.abort();
  assertEquals(systemd.heard, ["READY=1"]);
});

Deno.test("supervise: the watchdog is notified twice in each of the supervisor's intervals, by a timer of the event loop", async () => {
  const { world, options } = rig();
  const systemd = listener(10_000);
  await using _supervision = supervise(systemd, options);
  await pass(world, [4999]);
  assertEquals(systemd.heard, ["READY=1"]);
  await pass(world, [1, 5000, 5000]);
  assertEquals(systemd.heard, ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]);
});

Deno.test("supervise: it also stays silent while a health check fails, when /healthz fails too, until the process is told to stop, and says so once in the log", async () => {
  const { world, failing, options } = rig();
  const systemd = listener(2000);
  await using _supervision = supervise(systemd, options);
  failing.add("group-rest");
  await pass(world, [1000, 1000, 1000]);
  assertEquals(systemd.heard, ["READY=1"]);
  assertEquals(world.log.lines.filter(({ severity }) => severity === "warning").map(({ fields }) => fields.checks), [
    "group-rest",
  ]);
  failing.clear();
  await pass(world, [1000]);
  assertEquals(systemd.heard, ["READY=1", "WATCHDOG=1"]);
});

Deno.test("supervise does not let the watchdog end a process that is about to end", async () => {
  const { world, stop, failing, options } = rig();
  const systemd = listener(2000);
  await using _supervision = supervise(systemd, options);
  failing.add("group-rest");
  stop.abort();
  await pass(world, [1000]);
  assertEquals(systemd.heard, ["READY=1", "STOPPING=1", "WATCHDOG=1"]);
});

Deno.test("supervise: a message that cannot be sent is logged, once, and changes nothing else", async () => {
  const { world, options } = rig();
  const refusing: Supervisor = {
    watchdogMs: 2000,
    send: () => Promise.reject(new Deno.errors.ConnectionRefused("nobody listens")),
  };
  {
    await using _supervision = supervise(refusing, options);
    await pass(world, [1000, 1000]);
  }
  const warnings = world.log.lines.filter(({ severity }) => severity === "warning");
  assertEquals(warnings.length, 1);
  assertMatch(warnings[0].message, /^Cannot report this process.s state to systemd/);
});

Deno.test("supervise does nothing where nobody wants to know", async () => {
  await using _supervision = supervise(undefined, rig().options);
});

Deno.test("supervise: a status line reports each change of what the process does", async () => {
  const { world, stop, options } = rig();
  const systemd = listener();
  {
    await using supervision = supervise(systemd, options);
    await pass(world, [60_000]);
    assertEquals(systemd.statuses, ["STATUS=Waiting for the lease"]);
    supervision.does("Leading");
    supervision.does("Leading");
    await pass(world, [60_000]);
    assertEquals(systemd.statuses.slice(1), ["STATUS=Leading"]);
    stop.abort();
    supervision.does("Leading still");
    await pass(world, [60_000]);
  }
  assertEquals(systemd.statuses.slice(2), ["STATUS=Stopping"]);
});

Deno.test("supervise: a status line says within five seconds what is not ready and why, on one line, and when that has passed", async () => {
  const { world, failing, notReady, options } = rig();
  const systemd = listener();
  await using supervision = supervise(systemd, { ...options, doing: "Leading" });
  await pass(world, [0]);
  notReady.set("group-jobs", "down:\nit blocked\n\tits event loop");
  await pass(world, [5000, 5000]);
  failing.add("group-rest");
  await pass(world, [5000]);
  failing.clear();
  supervision.does("Leading on");
  notReady.clear();
  await pass(world, [5000]);
  assertEquals(systemd.statuses, [
    "STATUS=Leading",
    "STATUS=Leading; not ready: group-jobs (down: it blocked its event loop)",
    "STATUS=Leading; not ready: group-rest (down), group-jobs (down: it blocked its event loop)",
    "STATUS=Leading on; not ready: group-jobs (down: it blocked its event loop)",
    "STATUS=Leading on",
  ]);
});

Deno.test("supervise keeps a status line short", async () => {
  const { world, notReady, options } = rig();
  const systemd = listener();
  await using _supervision = supervise(systemd, options);
  notReady.set("group-jobs", "x".repeat(100_000));
  await pass(world, [5000]);
  assertEquals([systemd.statuses[1].length, systemd.statuses[1].at(-1)], ["STATUS=".length + 500, "…"]);
});

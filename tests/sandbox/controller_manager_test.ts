/** The contract of ControllerManager, sentence by sentence. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, InvariantError, MetricsRegistry, sleep } from "../../src/base/mod.ts";
import { CONFIGMAPS } from "../../src/api/mod.ts";
import { TransportClientBuilder } from "../../src/client/mod.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "../../src/controllers/mod.ts";
import {
  ControllerManager,
  type ControllerManagerOptions,
  managerFlags,
  managerOptions,
} from "../../src/manager/mod.ts";
import { createApiServer } from "../../src/sandbox/mod.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()));

/** A manager of these controllers on a server of its own, and the paths it asked for. */
function setUp(controllers: readonly ControllerDescriptor[] = [], options: Partial<ControllerManagerOptions> = {}) {
  const world = new FakeWorld();
  const apiServer = createApiServer({ world });
  const requests: string[] = [];
  const transport = (request: Request) => {
    requests.push(new URL(request.url).pathname + (request.url.includes("watch=true") ? "?watch" : ""));
    return apiServer.fetch(request);
  };
  const manager = new ControllerManager({
    world,
    metrics: new MetricsRegistry(),
    clients: new TransportClientBuilder({
      program: "kube-controller-manager",
      world,
      transport,
      server: "http://127.0.0.1",
      qps: -1,
      burst: 0,
    }),
    controllers,
    controllerOptions: managerOptions(managerFlags([])).controllerOptions,
    minResyncPeriodMs: 12 * 3_600_000,
    shutdownTimeoutMs: 10_000,
    ...options,
  });
  return { world, apiServer, requests, manager };
}

const descriptor = (
  name: string,
  build: (context: ControllerContext) => Controller["run"],
): ControllerDescriptor => ({ name, build: (context) => ({ run: build(context) }) });

Deno.test("ControllerManager: every controller is built before any informer starts, so that each index and handler is there from the first object on", async () => {
  const seen: number[] = [];
  const watching = (name: string) =>
    descriptor(name, (context) => {
      context.informers.informer(CONFIGMAPS);
      seen.push(requests.length);
      return untilAborted;
    });
  const { world, apiServer, requests, manager } = setUp([watching("one"), watching("two")]);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(1_000);
  assertEquals(seen, [0, 0], "nothing was asked of the server while they were built");
  assert(requests.length > 0);
  stop.abort();
  assertEquals(await running, true);
  apiServer.close();
});

Deno.test("ControllerManager.run waits for its signal when there is no controller at all", async () => {
  const { world, apiServer, manager } = setUp();
  const stop = new AbortController();
  let hasEnded = false;
  const running = manager.run(stop.signal).finally(() => hasEnded = true);
  await world.clock.advance(60_000);
  assertEquals(hasEnded, false);
  stop.abort();
  assertEquals(await running, true);
  apiServer.close();
});

Deno.test("ControllerManager: caches are filled before whenLeading; no controller works before it", async () => {
  const worked: string[] = [];
  const watching = descriptor("one", (context) => {
    context.informers.informer(CONFIGMAPS);
    return (signal) => {
      worked.push("one");
      return untilAborted(signal);
    };
  });
  const { promise: whenLeading, resolve: lead } = Promise.withResolvers<void>();
  const { world, apiServer, requests, manager } = setUp([watching], { whenLeading });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(60_000);
  assertEquals([requests.some((path) => path.includes("configmaps")), worked], [true, []]);
  lead();
  await world.clock.advance(1);
  assertEquals(worked, ["one"]);
  stop.abort();
  assertEquals(await running, true);
  apiServer.close();
});

Deno.test("ControllerManager: no controller works when it is stopped before whenLeading", async () => {
  const worked: string[] = [];
  const watching = descriptor("one", (context) => {
    context.informers.informer(CONFIGMAPS);
    return () => Promise.resolve(void worked.push("one"));
  });
  const { world, apiServer, manager } = setUp([watching], { whenLeading: new Promise(() => {}) });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(1_000);
  stop.abort();
  assertEquals([await running, worked], [true, []]);
  apiServer.close();
});

Deno.test("ControllerManager: one informer, and so one watch, exists per resource, however many controllers read it", async () => {
  const watching = (name: string) =>
    descriptor(name, (context) => {
      context.informers.informer(CONFIGMAPS).addEventHandler({});
      return untilAborted;
    });
  const { world, apiServer, requests, manager } = setUp([watching("one"), watching("two"), watching("three")]);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(1_000);
  assertEquals(requests.filter((path) => path.includes("configmaps")), ["/api/v1/configmaps?watch"]);
  stop.abort();
  await running;
  apiServer.close();
});

Deno.test("ControllerManager: run resolves after every controller has ended, or after the shutdown timeout: here before it", async () => {
  let ended = false;
  const slow = (world: () => FakeWorld) =>
    descriptor("slow", () => async (signal) => {
      await untilAborted(signal);
      await sleep(world().clock, 5_000);
      ended = true;
    });
  const { world, apiServer, manager } = setUp([slow(() => world)]);
  const stop = new AbortController();
  let clean: boolean | undefined;
  const running = manager.run(stop.signal).then((value) => clean = value);
  await world.clock.advance(1_000);
  stop.abort();
  await world.clock.advance(4_000);
  assertEquals([clean, ended], [undefined, false]);
  await world.clock.advance(2_000);
  assertEquals([clean, ended], [true, true]);
  await running;
  apiServer.close();
});

Deno.test("ControllerManager.run gives up on a controller that does not end within the shutdown timeout, and says so", async () => {
  const { world, apiServer, manager } = setUp([descriptor("stubborn", () => () => new Promise(() => {}))]);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(1_000);
  stop.abort();
  await world.clock.advance(10_000);
  assertEquals(await running, false);
  const line = world.log.lines.find(({ message }) => message === "Controller shutdown timeout reached");
  assertEquals(line?.fields.stillRunning, "stubborn");
  apiServer.close();
});

Deno.test("ControllerManager: a controller that cannot be built, or ends by an error, ends the whole run with that error", async () => {
  const failures: [ControllerDescriptor, string][] = [
    [{ name: "unbuilt", build: () => Promise.reject(new Error("no discovery")) }, "no discovery"],
    [
      descriptor("thrower", () => () => Promise.reject(new Error("lost its mind"))),
      "Controller thrower failed: lost its mind",
    ],
    [
      descriptor("quitter", () => () => Promise.resolve()),
      "Controller quitter failed: it ended although nobody asked it to",
    ],
  ];
  for (const [failing, message] of failures) {
    let otherEnded = false;
    const other = descriptor("other", () => async (signal) => {
      await untilAborted(signal);
      otherEnded = true;
    });
    const { world, apiServer, manager } = setUp([other, failing]);
    const running = assertRejects(() => manager.run(new AbortController().signal), Error, message);
    await world.clock.advance(20_000);
    await running;
    if (failing.name !== "unbuilt") assert(otherEnded, "the others were asked to end");
    apiServer.close();
    assertEquals(world.clock.pendingTimers, 0, "no timer is left");
  }
});

Deno.test("ControllerManager: a controller that finds an invariant violated is stopped, and the others go on", async () => {
  const turns: number[] = [];
  const stopped: string[][] = [];
  const { world, apiServer, manager } = setUp([
    descriptor("corrupted", () => () => Promise.reject(new InvariantError("a pod has two owners"))),
    descriptor("sound", ({ world }) => async (signal) => {
      while (await sleep(world.clock, 1000, signal)) turns.push(world.clock.monotonicMs());
    }),
  ], { onStopped: (...args) => stopped.push(args) });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await world.clock.advance(5_000);
  assertEquals([turns.length >= 3, stopped], [true, [["corrupted", "a pod has two owners"]]]);
  const [line] = world.log.lines.filter(({ severity }) => severity === "error");
  assertEquals([line.fields.controller, (line.fields.err as Error).message], ["corrupted", "a pod has two owners"]);
  stop.abort();
  assertEquals(await running, true);
  apiServer.close();
});

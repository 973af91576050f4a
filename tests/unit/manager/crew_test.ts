import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { CONFIGMAPS } from "../../../src/api/mod.ts";
import { TransportClientBuilder } from "../../../src/client/mod.ts";
import type { ControllerDescriptor } from "../../../src/controllers/mod.ts";
import { managerFlags, managerOptions } from "../../../src/manager/mod.ts";
import { Crew, runSettings } from "../../../src/manager/crew.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";

/** A crew of one controller that cannot be built for as long as there is a failure. */
function setUp() {
  const world = new FakeWorld();
  const api = createApiServer({ world });
  const transport = (request: Request) => api.fetch(request);
  const state = { failure: undefined as Error | undefined, builds: 0, isFilled: false, isWorking: false };
  const controller: ControllerDescriptor = {
    name: "made-up-controller",
    build: ({ informers }) => {
      state.builds++;
      if (state.failure) throw state.failure;
      informers.informer(CONFIGMAPS);
      return {
        run: (signal) => {
          state.isWorking = true;
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
        },
      };
    },
  };
  const crew = new Crew({
    world,
    metrics: new MetricsRegistry(),
    clients: new TransportClientBuilder({ world, program: "test", transport, server: "http://api", qps: -1, burst: 0 }),
    controllers: [controller],
    ...runSettings(managerOptions(managerFlags([]))),
    onSynced: () => state.isFilled = true,
  });
  const stop = new AbortController();
  const end = async (running: Promise<boolean>) => {
    stop.abort();
    await world.clock.advance(10_000);
    assertEquals(await running, true);
    api.close();
    assertEquals(world.clock.pendingTimers, 0);
  };
  return { world, crew, state, stop, end };
}

Deno.test("Crew: run fills the caches; controllers work from lead on", async () => {
  const { world, crew, state, stop, end } = setUp();
  const running = crew.run(stop.signal, { mayTryAgain: () => false });
  await world.clock.advance(1000);
  assertEquals([state.isFilled, state.isWorking], [true, false]);
  crew.lead();
  await world.clock.advance(1000);
  assertEquals(state.isWorking, true);
  await end(running);
});

Deno.test("Crew: a crew that could not start may try again, and does so at once when it is to lead", async () => {
  const { world, crew, state, stop, end } = setUp();
  state.failure = new Error("not yet");
  const asked: boolean[] = [];
  const running = crew.run(stop.signal, { mayTryAgain: (_, wasLeading) => asked.push(wasLeading) > 0 });
  await world.clock.advance(11_000);
  assertEquals(state.builds, 3, "every five seconds");
  state.failure = undefined;
  crew.lead();
  await world.clock.advance(10);
  assertEquals([state.builds, asked], [4, [false, false, false]]);
  await end(running);
});

Deno.test("Crew.run rejects with the error after which it may not try again", async () => {
  const { crew, state, stop } = setUp();
  state.failure = new Error("never");
  crew.lead();
  await assertRejects(() => crew.run(stop.signal, { mayTryAgain: (_, wasLeading) => !wasLeading }), Error, "never");
});

import { assertEquals } from "@std/assert";
import { type KubeObject, PODS } from "../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry, type World } from "../../../src/base/mod.ts";
import { DeltaFifo } from "../../../src/cache/delta_fifo.ts";
import { DeltaProcessor } from "../../../src/cache/delta_processor.ts";
import { Indexer } from "../../../src/cache/indexer.ts";
import { InformerMetrics } from "../../../src/cache/informer_metrics.ts";
import { Processor } from "../../../src/cache/processor.ts";
import { pod } from "./fixtures.ts";

/** A processor over a store that calls `onIndex` for each object. */
function setUp(world: World, onIndex: (object: KubeObject) => void) {
  const fifo = new DeltaFifo();
  const failures: string[] = [];
  const indexer = new Indexer({
    indexers: {
      test(object) {
        onIndex(object);
        return [];
      },
    },
  });
  const registry = new MetricsRegistry();
  const deltas = new DeltaProcessor({
    world,
    resource: "pods",
    fifo,
    indexer,
    processor: new Processor(world.clock),
    metrics: new InformerMetrics({ registry, resource: PODS, name: "test", measured: false }),
    onError: (what, error) => failures.push(`${what}: ${(error as Error).message}`),
  });
  return { fifo, indexer, failures, deltas };
}

Deno.test("DeltaProcessor: a pop that cannot be processed is reported and dropped; the next one is processed", async () => {
  const world = new FakeWorld();
  const { fifo, indexer, failures, deltas } = setUp(world, (object) => {
    if (object.metadata?.name === "bad") throw new Error("no such value");
  });
  const running = deltas.run();
  void fifo.add(pod("bad"));
  await world.clock.advance(0);
  void fifo.add(pod("good"));
  fifo.close();
  await running;
  assertEquals(indexer.keys(), ["ns/good"]);
  assertEquals(failures, [
    "Deltas could not be processed; they are dropped: " +
    'unable to calculate an index entry for key "ns/bad" on index "test": no such value',
  ]);
});

Deno.test("DeltaProcessor logs a pop that takes more than 100 ms a delta while more than ten are waiting", async () => {
  for (const [tookMs, waiting, lines] of [[101, 11, 1], [100, 11, 0], [101, 10, 0]]) {
    const world = new FakeWorld();
    let nowMs = 0;
    const { clock } = world;
    const stepped = {
      monotonicMs: () => nowMs,
      wallMs: () => 0,
      setTimer: clock.setTimer.bind(clock),
      nextTurn: () => clock.nextTurn(),
    };
    let isFirst = true;
    const { fifo, deltas } = setUp({ ...world, clock: stepped }, () => {
      if (isFirst) nowMs += tookMs;
      isFirst = false;
    });
    // Changes of one object are popped one by one.
    for (let version = 1; version <= waiting + 1; version++) void fifo.add(pod("a", version));
    fifo.close();
    await deltas.run();
    assertEquals(world.log.lines.filter((line) => line.message === "Processing of deltas is slow").length, lines);
  }
});

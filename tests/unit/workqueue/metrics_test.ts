import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { WorkQueue } from "../../../src/workqueue/mod.ts";

function setUp(name: string | undefined = "test") {
  const world = new FakeWorld();
  const metrics = new MetricsRegistry();
  const queue = new WorkQueue({ world, name, metrics });
  /** The sample whose name and labels are `series`. */
  const read = (series: string): number | undefined => {
    const line = metrics.render().split("\n").find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  return { world, metrics, queue, read };
}

Deno.test("WorkQueue publishes every series with zero from its creation", () => {
  const { read, metrics } = setUp();
  for (
    const name of [
      "depth",
      "adds_total",
      "retries_total",
      "unfinished_work_seconds",
      "longest_running_processor_seconds",
    ]
  ) {
    assertEquals(read(`workqueue_${name}{name="test"}`), 0, name);
  }
  for (const name of ["queue_duration_seconds", "work_duration_seconds"]) {
    assertEquals(read(`workqueue_${name}_count{name="test"}`), 0, name);
  }
  const series = metrics.render().matchAll(/workqueue_queue_duration_seconds_bucket\{name="test",le="([^"]+)"/g);
  const bounds = [...series].map((match) => match[1]);
  const upstream = "1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 +Inf";
  assertEquals(bounds.join(" "), upstream);
  assertStringIncludes(metrics.render(), "# HELP workqueue_depth [BETA] Current depth of workqueue\n");
});

Deno.test("WorkQueue counts effective adds and measures waiting and work", async () => {
  const { world, queue, read } = setUp();
  queue.add("a");
  await world.clock.advance(0.05);
  await queue.get();
  for (let i = 0; i < 5; i++) queue.add("a");
  assertEquals(read('workqueue_depth{name="test"}'), 1, "counts a key added while it is processed");
  await world.clock.advance(0.025);
  queue.done("a");
  await queue.get();
  assertEquals(read('workqueue_adds_total{name="test"}'), 2);
  assertEquals(read('workqueue_depth{name="test"}'), 0);
  assertEquals(read('workqueue_queue_duration_seconds_count{name="test"}'), 2);
  assertEquals(read('workqueue_queue_duration_seconds_sum{name="test"}')!.toFixed(9), "0.000075000");
  assertEquals(read('workqueue_queue_duration_seconds_bucket{name="test",le="0.001"}'), 2);
  assertEquals(read('workqueue_queue_duration_seconds_bucket{name="test",le="1e-07"}'), 0);
  assertEquals(read('workqueue_work_duration_seconds_count{name="test"}'), 1);
  assertEquals(read('workqueue_work_duration_seconds_sum{name="test"}')!.toFixed(9), "0.000025000");
});

Deno.test("WorkQueue shows the work in progress until it shuts down", async () => {
  const { world, queue, read } = setUp();
  for (const key of ["a", "b"]) {
    queue.add(key);
    await queue.get();
    await world.clock.advance(1000);
  }
  assertEquals(read('workqueue_unfinished_work_seconds{name="test"}'), 3);
  assertEquals(read('workqueue_longest_running_processor_seconds{name="test"}'), 2);
  queue.done("a");
  assertEquals(read('workqueue_longest_running_processor_seconds{name="test"}'), 1);
  queue.shutDown();
  await world.clock.advance(1000);
  assertEquals(read('workqueue_unfinished_work_seconds{name="test"}'), 1, "stops at shutdown");
});

Deno.test("WorkQueue that takes the name of one that shut down starts from nothing, and keeps nothing of it", async () => {
  const { world, metrics, queue, read } = setUp();
  queue.add("a");
  await queue.get();
  await world.clock.advance(5000);
  queue.shutDown();
  const next = new WorkQueue({ world, name: "test", metrics });
  assertEquals(read('workqueue_unfinished_work_seconds{name="test"}'), 0);
  next.add("b");
  await next.get();
  await world.clock.advance(1000);
  assertEquals(read('workqueue_unfinished_work_seconds{name="test"}'), 1);
  assertEquals(read('workqueue_longest_running_processor_seconds{name="test"}'), 1);
});

Deno.test("WorkQueues of one name share their series", async () => {
  const { world, metrics, queue, read } = setUp();
  const other = new WorkQueue({ world, name: "test", metrics });
  queue.add("a");
  other.add("a");
  assertEquals(read('workqueue_depth{name="test"}'), 2);
  await queue.get();
  await world.clock.advance(1000);
  await other.get();
  await world.clock.advance(1000);
  assertEquals(read('workqueue_unfinished_work_seconds{name="test"}'), 3);
  assertEquals(read('workqueue_longest_running_processor_seconds{name="test"}'), 2);
});

Deno.test("WorkQueue without a name publishes nothing", () => {
  const { queue, metrics } = setUp("");
  queue.add("a");
  assertEquals(metrics.render().trim(), "");
});

Deno.test("WorkQueue counts a retry for every delayed add", () => {
  const { queue, read } = setUp();
  queue.addRateLimited("a");
  queue.addAfter("a", 10);
  queue.addAfter("b", 0);
  queue.add("c");
  assertEquals(read('workqueue_retries_total{name="test"}'), 3);
  queue.shutDown();
});

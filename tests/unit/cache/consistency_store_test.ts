import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { PODS, REPLICASETS } from "../../../src/api/mod.ts";
import { FakeClock, MetricsRegistry } from "../../../src/base/mod.ts";
import { ConsistencyStore, StaleCacheError } from "../../../src/cache/mod.ts";

const METRIC = "replicaset_controller_stale_sync_skips_total";

function guardOf({ metricName }: { metricName?: string } = { metricName: METRIC }) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const pods = { resourceVersion: "" };
  const sets = { resourceVersion: "" };
  const guard = new ConsistencyStore({ clock, caches: [[REPLICASETS, sets], [PODS, pods]], metrics, metricName });
  const wrotePod = (resourceVersion: string, uid = "u1") =>
    guard.wroteAt("a/web", uid, { resource: PODS, resourceVersion });
  const wroteSet = (resourceVersion: string) =>
    guard.wroteAt("a/web", "u1", { resource: REPLICASETS, resourceVersion });
  const isReady = () => {
    try {
      guard.ensureReady("a/web");
      return true;
    } catch {
      return false;
    }
  };
  return { clock, metrics, pods, sets, guard, wrotePod, wroteSet, isReady };
}

Deno.test("ConsistencyStore counts skipped syncs with upstream's words about the owners' kind", () => {
  const { guard, pods, wrotePod, metrics } = guardOf();
  pods.resourceVersion = "99";
  wrotePod("100");
  assertThrows(() => guard.ensureReady("a/web"), StaleCacheError);
  assertStringIncludes(
    metrics.render(),
    `# HELP ${METRIC} [ALPHA] Total number of ReplicaSet syncs skipped due to a stale watch cache.\n`,
  );
});

Deno.test("ConsistencyStore: an owner is ready when each cache has processed at least what was written; its record is dropped then", () => {
  const { guard, pods, sets, wrotePod, wroteSet, isReady, metrics } = guardOf();
  pods.resourceVersion = "99";
  sets.resourceVersion = "98";
  assertEquals(isReady(), true); // nothing was written
  wrotePod("100");
  wroteSet("97");
  assertThrows(
    () => guard.ensureReady("a/web"),
    StaleCacheError,
    "read version: 99 is not as new as written version: 100 for group resource pods",
  );
  const skips = metrics.counter({ name: METRIC, help: "" });
  assertEquals([skips.value(["", "pods"]), guard.size], [1, 1]);
  pods.resourceVersion = "100";
  assertEquals([isReady(), guard.size], [true, 0]);
  pods.resourceVersion = "5"; // not asked for any more
  assertEquals(isReady(), true);
});

Deno.test("ConsistencyStore names a resource with its group", () => {
  const { guard, sets, wroteSet, metrics } = guardOf();
  sets.resourceVersion = "9";
  wroteSet("10");
  assertThrows(() => guard.ensureReady("a/web"), StaleCacheError, "for group resource replicasets.apps");
  assertEquals(metrics.counter({ name: METRIC, help: "" }).value(["apps", "replicasets"]), 1);
});

Deno.test("ConsistencyStore: per owner and resource the newest version written is remembered", () => {
  const { pods, wrotePod, isReady } = guardOf();
  wrotePod("1000");
  wrotePod("999");
  pods.resourceVersion = "999";
  assertEquals(isReady(), false);
});

Deno.test("ConsistencyStore: a write for another uid begins a fresh record", () => {
  const { pods, wrotePod, wroteSet, sets, isReady } = guardOf();
  wroteSet("500");
  wrotePod("100", "u2");
  sets.resourceVersion = "1";
  pods.resourceVersion = "100";
  assertEquals(isReady(), true);
});

Deno.test("ConsistencyStore: a version that cannot be compared, and a cache whose version is unknown, count as ready", () => {
  for (const [read, written] of [["", "100"], ["x", "100"], ["99", ""], ["99", "1x"], ["99", "0100"]]) {
    const { pods, wrotePod, isReady } = guardOf();
    pods.resourceVersion = read;
    wrotePod(written);
    assertEquals(isReady(), true, `read "${read}", written "${written}"`);
  }
});

Deno.test("ConsistencyStore does not let a malformed version take the place of a good one, before or after it", () => {
  const { pods, wrotePod, isReady } = guardOf();
  pods.resourceVersion = "99";
  wrotePod("malformed");
  wrotePod("100");
  wrotePod("malformed");
  assertEquals(isReady(), false);
});

Deno.test("ConsistencyStore: clearing with a uid drops only that uid's record; without one, any", () => {
  const { guard, wrotePod } = guardOf();
  wrotePod("100", "u1");
  guard.clear("a/web", "u2");
  assertEquals(guard.size, 1);
  guard.clear("a/web", "u1");
  assertEquals(guard.size, 0);
  wrotePod("100", "u1");
  guard.clear("a/web");
  assertEquals(guard.size, 0);
});

Deno.test("ConsistencyStore: a write older than the deadline is given up, and counted", async () => {
  const { clock, pods, wrotePod, isReady, metrics } = guardOf();
  pods.resourceVersion = "99";
  wrotePod("100");
  await clock.advance(5 * 60_000);
  assertEquals(isReady(), false);
  await clock.advance(1);
  assertEquals(isReady(), true);
  const givenUp = metrics.counter({ name: "kubeloop_consistency_deadline_exceeded_total", help: "" });
  assertEquals(givenUp.value(["", "pods"]), 1);
});

Deno.test("ConsistencyStore exposes no skip metric without a name for it", () => {
  const { pods, wrotePod, isReady, metrics } = guardOf({});
  pods.resourceVersion = "99";
  wrotePod("100");
  assertEquals([isReady(), metrics.render().includes("stale_sync_skips")], [false, false]);
});

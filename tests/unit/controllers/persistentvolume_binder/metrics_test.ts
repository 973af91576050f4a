import { assertEquals } from "@std/assert";
import { FakeClock, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  binderMetrics,
  claimCounts,
  volumeCounts,
} from "../../../../src/controllers/persistentvolume_binder/metrics.ts";
import { OperationTimes } from "../../../../src/controllers/persistentvolume_binder/operation_times.ts";
import { HOST_PATH_PLUGIN, NFS_PLUGIN, VolumePlugins } from "../../../../src/controllers/volumes/mod.ts";
import { claim, volume } from "./rig.ts";

function samplesOf(registry: MetricsRegistry, ...names: string[]): string[] {
  return names.flatMap((only) => registry.render({ only }).split("\n").filter((line) => line && !line.startsWith("#")));
}

Deno.test("OperationTimes: the time is counted from the first attempt to the success, once", async () => {
  const [clock, registry] = [new FakeClock(), new MetricsRegistry()];
  const times = new OperationTimes(clock, binderMetrics(registry));
  const sum = 'volume_operation_total_seconds_sum{plugin_name="p",operation_name="provision"}';
  const sums = () => samplesOf(registry, "volume_operation_total_seconds").filter((line) => line.startsWith(sum));
  times.begin("a/c", "provision", () => "p");
  await clock.advance(3_000);
  times.begin("a/c", "provision", () => "q");
  await clock.advance(1_000);
  times.succeeded("a/c");
  times.succeeded("a/c");
  times.begin("a/d", "provision", () => "p");
  times.drop("a/d");
  times.succeeded("a/d");
  assertEquals(sums(), [`${sum} 4`]);
});

Deno.test("OperationTimes: failures are counted only while an operation is open", () => {
  const registry = new MetricsRegistry();
  const times = new OperationTimes(new FakeClock(), binderMetrics(registry));
  times.failed("v");
  times.begin("v", "delete", () => "");
  times.failed("v");
  times.succeeded("v");
  times.failed("v");
  const names = ["volume_operation_errors_total", "volume_operation_total_errors"];
  assertEquals(
    samplesOf(registry, ...names),
    names.map((name) => `${name}{plugin_name="N/A",operation_name="delete"} 1`),
  );
});

Deno.test("volumes and claims are counted as they come, change and go; of what is gone there is no series", () => {
  const registry = new MetricsRegistry();
  const volumes = volumeCounts(registry, new VolumePlugins([HOST_PATH_PLUGIN, NFS_PLUGIN]));
  const claims = claimCounts(registry);
  const free = volume({ hostPath: { path: "/x" }, storageClassName: "gold" });
  const bound = { ...free, status: { phase: "Bound" } };
  const other = volume({ volumeMode: "Block" });
  const waiting = claim({ storageClassName: "gold", volumeAttributesClassName: "fast" });
  volumes(undefined, free);
  volumes(free, bound);
  volumes(undefined, other);
  claims(undefined, waiting);
  const counts = () =>
    samplesOf(
      registry,
      ...["total_pv", "bound_pv", "unbound_pv", "bound_pvc", "unbound_pvc"].map((name) => `pv_collector_${name}_count`),
    );
  assertEquals(counts(), [
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
    'pv_collector_total_pv_count{plugin_name="N/A",volume_mode="Block"} 1',
    'pv_collector_bound_pv_count{storage_class="gold"} 1',
    'pv_collector_unbound_pv_count{storage_class=""} 1',
    'pv_collector_unbound_pvc_count{namespace="a",storage_class="gold",volume_attributes_class="fast"} 1',
  ]);
  volumes(bound, undefined);
  volumes(other, undefined);
  claims(waiting, undefined);
  assertEquals(counts(), []);
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ENDPOINTS } from "../../../src/api/mod.ts";
import { Deferred, MetricsRegistry } from "../../../src/base/mod.ts";
import { InformerMetrics } from "../../../src/cache/informer_metrics.ts";
import { pod, rig } from "./fixtures.ts";

const LABELS = 'name="kube-controller-manager",group="",version="v1",resource="pods"';

Deno.test("SharedInformer fills upstream's informer metrics and its own", async () => {
  await using it = rig({ name: "kube-controller-manager" });
  const gate = new Deferred();
  it.informer.addEventHandler({ onAdd: () => gate.promise as unknown as void }, { name: "slow" });
  it.informer.addEventHandler({
    onAdd: () => {
      throw new Error("oops");
    },
  }, { name: "bad" });
  it.start();
  await it.source.list([pod("a"), pod("b"), pod("c")], 1);
  await it.settle();
  const text = it.metrics.render();
  assertStringIncludes(text, `informer_queued_items{${LABELS}} 0`);
  assertStringIncludes(text, `informer_processing_latency_seconds_count{${LABELS}} 1`);
  assertStringIncludes(text, `informer_processing_latency_seconds_bucket{${LABELS},le="0.001"} 1`);
  assertStringIncludes(text, `kubeloop_informer_listener_depth{${LABELS},handler="slow"} 2`);
  assertStringIncludes(text, `kubeloop_informer_handler_errors_total{${LABELS},handler="bad"} 3`);
  // What has not happened is there as well: a rate would miss the first.
  assertStringIncludes(text, `kubeloop_informer_handler_errors_total{${LABELS},handler="slow"} 0`);
  assertStringIncludes(text, `kubeloop_informer_process_errors_total{${LABELS}} 0`);
  gate.resolve();
});

Deno.test("SharedInformer reports how many deltas are queued", async () => {
  await using it = rig({ name: "kube-controller-manager" });
  it.start();
  void it.source.sink.bookmark("1");
  void it.source.sink.bookmark("2");
  assertStringIncludes(it.metrics.render(), `informer_queued_items{${LABELS}} 2`);
  await it.settle();
});

Deno.test("SharedInformer that has stopped reports no queue, and its metrics do not hold on to it", async () => {
  const it = rig({ name: "kube-controller-manager" });
  it.start();
  await it.settle();
  await it[Symbol.asyncDispose]();
  void it.source.sink.bookmark("1");
  assertStringIncludes(it.metrics.render(), `informer_queued_items{${LABELS}} 0`);
});

Deno.test("SharedInformer reports no depth for a handler that was removed", async () => {
  await using it = rig({ name: "kube-controller-manager" });
  const gate = new Deferred();
  const registration = it.informer.addEventHandler({ onAdd: () => gate.promise as unknown as void }, { name: "slow" });
  it.start();
  await it.source.list([pod("a"), pod("b")], 1);
  await it.settle();
  const removed = it.informer.removeEventHandler(registration);
  assertStringIncludes(it.metrics.render(), `kubeloop_informer_listener_depth{${LABELS},handler="slow"} 0`);
  gate.resolve();
  await removed;
});

Deno.test("InformerMetrics leaves upstream's metrics to informers of full objects", () => {
  const registry = new MetricsRegistry();
  const metrics = new InformerMetrics({ registry, resource: ENDPOINTS, name: "x", measured: false });
  metrics.trackQueue(() => 5);
  metrics.popped(3);
  assertEquals(registry.render().includes("# TYPE informer_"), false);
});

Deno.test("InformerMetrics reports endpoints under the plural that upstream's generator gives them", () => {
  const registry = new MetricsRegistry();
  const metrics = new InformerMetrics({ registry, resource: ENDPOINTS, name: "x", measured: true });
  metrics.trackQueue(() => 5);
  assertStringIncludes(
    registry.render(),
    'informer_queued_items{name="x",group="",version="v1",resource="endpointss"} 5',
  );
});

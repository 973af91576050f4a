import { assertEquals, assertThrows } from "@std/assert";
import { mergeMetrics, MetricsRegistry, parseMetrics } from "../../../src/base/mod.ts";

function registry(seed: number): MetricsRegistry {
  const metrics = new MetricsRegistry();
  metrics.counter({ name: "b_total", help: "B.", labels: ["what"] }).inc(['say "hi"\\\n, {you}'], seed);
  metrics.histogram({ name: "a_seconds", help: "A.", labels: ["x"], buckets: [0.1, 1] }).observe(0.5 * seed, ["y"]);
  metrics.gauge({ name: "c", help: "C." }).set(1e9 * seed);
  return metrics;
}

Deno.test("mergeMetrics of one text is that text", () => {
  assertEquals(mergeMetrics([registry(1).render()]), registry(1).render());
});

Deno.test("mergeMetrics adds up series of the same name and labels, buckets too", () => {
  const families = parseMetrics(mergeMetrics([registry(1).render(), registry(3).render()]));
  assertEquals(families.map(({ name, type }) => `${name} ${type}`), [
    "a_seconds histogram",
    "b_total counter",
    "c gauge",
  ]);
  assertEquals(families[0].samples.map(({ name, value }) => `${name} ${value}`), [
    "a_seconds_bucket 0",
    "a_seconds_bucket 1",
    "a_seconds_bucket 2",
    "a_seconds_sum 2",
    "a_seconds_count 2",
  ]);
  assertEquals(families[1].samples, [{ name: "b_total", labels: { what: 'say "hi"\\\n, {you}' }, value: 4 }]);
  assertEquals(families[2].samples[0].value, 4e9);
});

Deno.test("parseMetrics refuses a line that is not a sample, or belongs to no metric", () => {
  const head = "# HELP a A.\n# TYPE a gauge\n";
  for (const line of ["a", "a x", 'a{b="c} 1', "a{b=c} 1", "z 1"]) {
    assertThrows(() => parseMetrics(head + line), SyntaxError, JSON.stringify(line));
  }
});

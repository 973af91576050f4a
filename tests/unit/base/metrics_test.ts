import { assertEquals, assertThrows } from "@std/assert";
import { MetricsRegistry } from "../../../src/base/mod.ts";

Deno.test("MetricsRegistry renders counters, gauges and histograms by name in Prometheus text format", () => {
  const metrics = new MetricsRegistry();
  metrics.gauge({ name: "b_depth", help: "Depth", stability: "STABLE" }).set(2.5);
  metrics.counter({ name: "a_total", help: "Count", labels: ["x", "y"] }).inc(["1", "2"], 3);
  const seconds = metrics.histogram({ name: "c_seconds", help: "Time", labels: ["q"], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(value, ["z"]);
  assertEquals(
    metrics.render(),
    `# HELP a_total [ALPHA] Count
# TYPE a_total counter
a_total{x="1",y="2"} 3
# HELP b_depth [STABLE] Depth
# TYPE b_depth gauge
b_depth 2.5
# HELP c_seconds [ALPHA] Time
# TYPE c_seconds histogram
c_seconds_bucket{q="z",le="0.1"} 2
c_seconds_bucket{q="z",le="1"} 3
c_seconds_bucket{q="z",le="+Inf"} 4
c_seconds_sum{q="z"} 7.65
c_seconds_count{q="z"} 4
`,
  );
});

Deno.test("MetricsRegistry gives the metric registered first when asked for a name again", () => {
  const metrics = new MetricsRegistry();
  metrics.counter({ name: "n", help: "first" }).inc();
  assertEquals(metrics.counter({ name: "n", help: "second" }).value(), 1);
});

Deno.test("MetricsRegistry throws when a name is asked for as another kind", () => {
  const metrics = new MetricsRegistry();
  metrics.counter({ name: "n", help: "" });
  assertThrows(() => metrics.gauge({ name: "n", help: "" }), TypeError, 'Cannot register metric "n"');
});

Deno.test("MetricsRegistry escapes label values and prints numbers as Go does", () => {
  const metrics = new MetricsRegistry();
  const gauge = metrics.gauge({ name: "g", help: "", labels: ["l"] });
  gauge.set(1, ['a"b\\c\nd']);
  const values = { inf: Infinity, minus: -Infinity, nan: NaN, small: 1e-8, tiny: 0.00001, million: 1e6, big: 12345678 };
  for (const [name, value] of Object.entries(values)) gauge.set(value, [name]);
  gauge.set(999999, ["six"]);
  gauge.set(0.0001, ["four"]);
  const samples = metrics.render().split("\n").filter((line) => line.startsWith("g{"));
  assertEquals(samples.map((line) => line.slice(line.lastIndexOf(" ") + 1)), [
    "1",
    "+Inf",
    "-Inf",
    "NaN",
    "1e-08",
    "1e-05",
    "1e+06",
    "1.2345678e+07",
    "999999",
    "0.0001",
  ]);
  assertEquals(samples[0], 'g{l="a\\"b\\\\c\\nd"} 1');
});

Deno.test("Counter.inc with 0 creates the series, and series with different labels do not mix", () => {
  const metrics = new MetricsRegistry();
  const counter = metrics.counter({ name: "n", help: "", labels: ["a", "b"] });
  counter.inc(["x", "yz"], 0);
  counter.inc(["xy", "z"]);
  assertEquals([counter.value(["x", "yz"]), counter.value(["xy", "z"])], [0, 1]);
  assertEquals(metrics.render().includes('n{a="x",b="yz"} 0\n'), true);
});

Deno.test("Gauge.track reads the value whenever metrics are rendered", () => {
  const metrics = new MetricsRegistry();
  let depth = 1;
  const gauge = metrics.gauge({ name: "depth", help: "" });
  gauge.track(() => depth);
  depth = 7;
  assertEquals(metrics.render().endsWith("\ndepth 7\n"), true);
  gauge.inc([], 2);
  assertEquals(gauge.value(), 9);
});

Deno.test("Histogram.touch creates a series at zero, and totals tells count and sum", () => {
  const metrics = new MetricsRegistry();
  const histogram = metrics.histogram({ name: "h", help: "", buckets: [1] });
  histogram.touch();
  assertEquals(histogram.totals(), { count: 0, sum: 0 });
  histogram.observe(3);
  assertEquals(histogram.totals(), { count: 1, sum: 3 });
});

import { assertEquals } from "@std/assert";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import { SliceCounts } from "../../../../src/controllers/endpoint_slices/mod.ts";

function rig(): { readonly counts: SliceCounts; readonly shown: () => readonly number[] } {
  const metrics = new MetricsRegistry();
  const counts = new SliceCounts({
    metrics,
    subsystem: "x",
    of: "Service",
    stability: "BETA",
    mostEndpoints: 100,
    fewestSlices: 1,
  });
  const gauge = (name: string) => metrics.gauge({ name: `x_${name}`, help: "" }).value();
  return { counts, shown: () => ["desired_endpoint_slices", "num_endpoint_slices", "endpoints_desired"].map(gauge) };
}

const WASTEFUL = [{ endpoints: 12, slices: 5 }, { endpoints: 18, slices: 8 }];
const THRIFTY = [{ endpoints: 45, slices: 1 }, { endpoints: 35, slices: 1 }];

Deno.test("SliceCounts: gauges show the sum over all owners of what was last counted of each", () => {
  const { counts, shown } = rig();
  counts.count("ns1/svc1", WASTEFUL);
  assertEquals(shown(), [2, 13, 30]);
  counts.count("ns1/svc2", THRIFTY);
  assertEquals(shown(), [4, 15, 110]);
  counts.count("ns1/svc3", WASTEFUL);
  counts.count("ns1/svc1", THRIFTY);
  assertEquals(shown(), [6, 17, 190]);
  counts.count("ns1/svc4", [{ endpoints: 0, slices: 1 }, { endpoints: 101, slices: 2 }]);
  assertEquals(shown(), [8, 20, 291]);
  counts.count("ns1/svc4", [{ endpoints: 0, slices: 1 }]);
  assertEquals(shown(), [7, 18, 190], "there is always one");
});

Deno.test("SliceCounts: an owner that is forgotten counts no more", () => {
  const { counts, shown } = rig();
  counts.count("ns1/svc1", WASTEFUL);
  counts.forget("ns1/svc1");
  counts.forget("ns1/never");
  assertEquals([...shown(), counts.size], [0, 0, 0, 0]);
});

import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import type { Pod } from "../../../../src/api/mod.ts";
import { podGraceEstimateSeconds, requeueDelayMs } from "../../../../src/controllers/namespace/estimates.ts";
import { NamespaceLimiter } from "../../../../src/controllers/namespace/namespace_limiter.ts";

function pod(terminationGracePeriodSeconds?: number, phase = "Running"): Pod {
  return { spec: { containers: [], terminationGracePeriodSeconds }, status: { phase } };
}

Deno.test("podGraceEstimateSeconds is the longest grace of pods that have not ended, until it has passed", () => {
  const cases: [Pod[], number, number][] = [
    [[], 3000, 0],
    [[pod(30), pod(60), pod(10)], 3000, 60],
    [[pod(30), pod(600, "Succeeded"), pod(600, "Failed")], 3000, 30],
    [[pod()], 3000, 0],
    [[pod(30)], 29_999, 30],
    [[pod(30)], 30_000, 0],
    [[pod(30)], 40_000, 0],
  ];
  for (const [pods, sinceMs, expected] of cases) {
    assertEquals(podGraceEstimateSeconds(pods, { deletedAtMs: 1000, nowMs: 1000 + sinceMs }), expected);
  }
});

Deno.test("requeueDelayMs is half the estimate, rounded down, and a second", () => {
  assertEquals([30, 15, 1].map(requeueDelayMs), [16_000, 8000, 1000]);
});

Deno.test("NamespaceLimiter doubles from 5 ms up to a minute, and begins anew once forgotten", () => {
  const limiter = new NamespaceLimiter(new FakeClock());
  const delays = Array.from({ length: 16 }, () => limiter.when("a"));
  assertEquals([delays[0], delays[1], delays[13], delays[14], delays[15]], [5, 10, 40_960, 60_000, 60_000]);
  limiter.forget("a");
  assertEquals([limiter.when("a"), limiter.numRequeues("a")], [5, 1]);
});

Deno.test("NamespaceLimiter gives ten a second after a hundred failures at once", () => {
  const limiter = new NamespaceLimiter(new FakeClock());
  const delays = Array.from({ length: 102 }, (_, i) => Math.round(limiter.when(`ns${i}`)));
  assertEquals(delays.slice(98), [5, 5, 100, 200]);
});

Deno.test("NamespaceLimiter gives an expected delay once, without counting or forgetting failures", () => {
  const limiter = new NamespaceLimiter(new FakeClock());
  limiter.when("a");
  limiter.expect("a", 16_000);
  assertEquals([limiter.when("a"), limiter.numRequeues("a")], [16_000, 1]);
  assertEquals(limiter.when("a"), 10);
});

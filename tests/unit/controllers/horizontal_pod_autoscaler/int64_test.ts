import { assertEquals } from "@std/assert";
import { Quantity } from "../../../../src/api/mod.ts";
import { replicasByShare } from "../../../../src/controllers/horizontal_pod_autoscaler/calculation/mod.ts";
import { requestsOf } from "../../../../src/controllers/horizontal_pod_autoscaler/calculation/pod_figures.ts";
import { milliOf } from "../../../../src/controllers/horizontal_pod_autoscaler/metrics_api/mod.ts";

/** What upstream's 64 bits make of quantities; its own program has printed the expected values. */

/** Quantities, and their `MilliValue`. */
const THOUSANDTHS: readonly [text: string, milli: bigint][] = [
  ["999999999999999999m", 999999999999999999n],
  ["123456789012345678", -5670419503621183312n],
  ["999999999999999999", 3875820019684211736n],
  ["-123456789012345678", 5670419503621183312n],
  ["1234567890123456789", -1363962815083169272n],
  ["9223372036854775807", -1000n],
  ["9223372036854775.807", 9223372036854775807n],
  ["9223372036854775.808", -9223372036854775808n],
  ["9223372036854775808m", -9223372036854775808n],
  ["-9223372036854775808m", 0n],
  ["18446744073709551616", 0n],
  ["100000000000000000000", 200376420520689664n],
  ["9007199254740993k", 5188146770731811392n],
  ["12345678901234k", -6101065172475551616n],
  ["10000000000000M", 1864712049423024128n],
  ["9223372036854776k", 192000n],
  ["9223372G", 9223372000000000000n],
  ["9223373G", 0n],
  ["10000000000000G", 0n],
  ["9223T", 9223000000000000000n],
  ["10000T", 0n],
  ["9P", 9000000000000000000n],
  ["10P", 0n],
  ["1E", 0n],
  ["9e15", 9000000000000000000n],
  ["1e16", 0n],
  ["1e18", 0n],
  ["1e19", 0n],
  ["12345678901234567e6", -7484280361224075776n],
  ["1234567890123456789e6", 7888470988684038656n],
  ["1e40", 0n],
  ["1234567890123456789n", 1234567890124n],
  ["123456789012345678901234n", 123456789012345679n],
  ["0.000000000000000001", 1n],
  ["-0.000000000000000001", 1n],
  ["1.0000000000000000005", 1001n],
  ["-1.0000000000000000005", -999n],
  ["8Pi", 9007199254740992000n],
  ["9Pi", -8313644912125935616n],
  ["8Ei", -1000n],
  ["-16Ei", 1000n],
  ["0.0000000000000000000", 0n],
];

Deno.test("Quantity.milliInt64 wraps, drops and rounds as upstream's MilliValue does where 64 bits are too few", () => {
  for (const [text, milli] of THOUSANDTHS) assertEquals(Quantity.parse(text).milliInt64(), milli, text);
});

Deno.test("milliOf takes figures of a metric for what upstream takes them for", () => {
  for (const [text, milli] of THOUSANDTHS) assertEquals(milliOf(text), milli, text);
});

Deno.test("requestsOf adds up what containers ask for in 64 bits", () => {
  const container = (name: string, memory: string) => ({ name, resources: { requests: { memory } } });
  const pod = { metadata: { name: "p" }, spec: { containers: [container("a", "9P"), container("b", "9P")] } };
  const requests = requestsOf([pod], { resource: "memory", hasPodLevel: false });
  assertEquals(requests.get("p"), BigInt.asIntN(64, 18n * 10n ** 18n));
});

Deno.test("replicasByShare gives the largest average there is for a usage that floating point takes for more", () => {
  const tolerances = { up: 0.1, down: 0.1 };
  const { average } = replicasByShare({ usage: 2n ** 63n - 10n, target: 1n }, { count: 1, tolerances });
  assertEquals(average, 2n ** 63n - 1n);
});

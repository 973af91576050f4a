import { assertEquals } from "@std/assert";
import { parseJson } from "../../../../src/base/mod.ts";
import type { Taint, Toleration } from "../../../../src/api/mod.ts";
import { toleratedMs } from "../../../../src/controllers/taint_eviction/toleration_time.ts";

const K: Taint = { key: "k", value: "v", effect: "NoExecute" };
const L: Taint = { key: "l", effect: "NoExecute" };
const all = (tolerationSeconds?: number): Toleration => ({ operator: "Exists", tolerationSeconds });
const of = (key: string, tolerationSeconds?: number): Toleration => ({ ...all(tolerationSeconds), key });
const HUGE = parseJson("9223372036854775807") as number;

const CASES: readonly (readonly [what: string, taints: Taint[], tolerations: Toleration[] | undefined, ms?: number])[] =
  [
    ["no tolerations", [K], undefined, undefined],
    ["an empty list", [K], [], undefined],
    ["another key", [K], [of("l")], undefined],
    ["the key", [K], [of("k")], Infinity],
    ["seconds", [K], [of("k", 30)], 30_000],
    ["no seconds", [K], [of("k", 0)], 0],
    ["less than none", [K], [of("k", -1)], 0],
    ["the value", [K], [{ key: "k", value: "v" }], Infinity],
    ["another value", [K], [{ key: "k", operator: "Equal", value: "w" }], undefined],
    ["another effect", [K], [{ ...of("k"), effect: "NoSchedule" }], undefined],
    ["a generous toleration after another", [K], [of("k", 1), all()], 1_000],
    ["a generous toleration before another", [K], [all(), of("k", 1)], Infinity],
    ["two taints and one toleration", [K, L], [of("k")], undefined],
    ["two taints and the shorter time", [K, L], [of("k", 100), of("l", 1)], 1_000],
    ["two taints and one time", [K, L], [of("k"), of("l", 1)], 1_000],
    ["two taints for ever", [K, L], [all()], Infinity],
    ["292 years", [K], [all(9_223_372_036)], 9_223_372_036_000],
    ["more, which wraps around", [K], [all(9_223_372_037)], Infinity],
    ["as much as there is", [K], [all(HUGE)], Infinity],
    ["a hostile key", [K], [of("constructor")], undefined],
  ];

for (const [what, taints, tolerations, ms] of CASES) {
  Deno.test(`toleratedMs with ${what}: ${ms ?? "not at all"}`, () =>
    assertEquals(toleratedMs(taints, tolerations), ms));
}

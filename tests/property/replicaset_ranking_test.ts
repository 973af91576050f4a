import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { Pod } from "../../src/api/mod.ts";
import { rankForDeletion } from "../../src/controllers/replicaset/ranking.ts";
import { NOW_MS } from "../unit/controllers/fake_times.ts";
import { pod } from "../unit/controllers/replicaset/fixtures.ts";

const COST = "controller.kubernetes.io/pod-deletion-cost";
const NODES = ["n1", "n2", "n3"];
const traits = fc.record({
  phase: fc.constantFrom("Pending", "Unknown", "Running"),
  node: fc.constantFrom(undefined, ...NODES),
  readyFor: fc.option(fc.integer({ min: -100, max: 100_000 }), { nil: undefined }),
  cost: fc.constantFrom("-5", "0", "7"),
});

/** The rules that make an order by themselves, as numbers to compare one after the other. */
function rules(one: Pod, crowd: Map<string, number>): number[] {
  const isReady = one.status?.conditions?.[0].status === "True";
  const node = one.spec?.nodeName;
  return [
    node ? 1 : 0,
    ["Pending", "Unknown", "Running"].indexOf(one.status!.phase!),
    isReady ? 1 : 0,
    Number(one.metadata!.annotations![COST]),
    -(crowd.get(node ?? "") ?? 0),
  ];
}

Deno.test("rankForDeletion gives every pod once, and never a pod before one that an earlier rule puts first", () => {
  fc.assert(fc.property(fc.array(traits, { maxLength: 40 }), (list) => {
    const pods = list.map(({ cost, ...rest }, i) => pod(`p${i}`, { ...rest, annotations: { [COST]: cost } }));
    const crowd = new Map<string, number>();
    for (const { spec } of pods) crowd.set(spec?.nodeName ?? "", (crowd.get(spec?.nodeName ?? "") ?? 0) + 1);
    const ranked = rankForDeletion(pods, { related: pods, nowMs: NOW_MS });
    assertEquals(new Set(ranked), new Set(pods));
    for (let i = 1; i < ranked.length; i++) {
      const [before, after] = [rules(ranked[i - 1], crowd), rules(ranked[i], crowd)];
      const differs = before.findIndex((value, rule) => value !== after[rule]);
      assert(differs < 0 || before[differs] < after[differs], `rule ${differs + 1} is broken`);
    }
  }));
});

import { assert } from "@std/assert";
import fc from "../fast_check.ts";
import { addAmounts, type Amounts, parseAmounts, quotaEvaluator } from "../../src/rules/mod.ts";
import { type Pod, PODS as POD_KIND } from "../../src/api/mod.ts";
import { container, makeQuota, podOf, QUOTAS, readyHarness } from "../unit/sandbox/apiserver/admission/fixtures.ts";
import { type Harness, PODS } from "../unit/sandbox/apiserver/harness.ts";

const HARD = { pods: "5", "requests.cpu": "2", "limits.memory": "1Gi" };

type Step =
  | { readonly kind: "put"; readonly how: Put; readonly name: string; readonly cpu: number; readonly memory: number }
  | { readonly kind: "delete"; readonly name: string }
  | { readonly kind: "recount" };
type Put = "create" | "dryRun" | "resize";

const name = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      how: fc.constantFrom<Put[]>("create", "create", "dryRun", "resize"),
      name,
      cpu: fc.integer({ min: 0, max: 1200 }),
      memory: fc.integer({ min: 1, max: 600 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("recount" as const) }) },
);

async function perform(api: Harness, step: Step): Promise<void> {
  if (step.kind === "delete") return void await api.delete(`${PODS}/${step.name}`);
  // What the quota's controller does by and by.
  if (step.kind === "recount") {
    const used = Object.fromEntries(Object.keys(HARD).map((each) => [each, "0"]));
    for (const [each, amount] of await present(api)) if (each in HARD) used[each] = amount.toString();
    return void await api.patch(`${QUOTAS}/q/status`, { status: { used } });
  }
  const wanted = container({ requests: { cpu: `${step.cpu}m` }, limits: { cpu: "2", memory: `${step.memory}Mi` } });
  if (step.how === "resize") {
    return void await api.patch(`${PODS}/${step.name}/resize`, { spec: { containers: [wanted] } });
  }
  await api.post(step.how === "dryRun" ? `${PODS}?dryRun=All` : PODS, podOf(step.name, wanted));
}

/** What the pods that are there use. */
async function present(api: Harness): Promise<Amounts> {
  const { items } = (await api.get(PODS)).body;
  const { usage } = quotaEvaluator(POD_KIND);
  return items.reduce((sum: Amounts, pod: Pod) => addAmounts(sum, usage(pod, 0)), new Map());
}

Deno.test("ResourceQuota: used is never more than hard, and never less than what is there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      using api = await readyHarness();
      await makeQuota(api, HARD);
      for (const each of steps) {
        await perform(api, each);
        const { status } = (await api.get(`${QUOTAS}/q`)).body;
        const used = parseAmounts(status.used);
        const there = await present(api);
        for (const [resource, limit] of parseAmounts(status.hard)) {
          assert(used.get(resource)!.compare(limit) <= 0, `${resource}: ${used.get(resource)} of ${limit}`);
          const actual = there.get(resource);
          assert(
            !actual || actual.compare(used.get(resource)!) <= 0,
            `${resource}: ${actual} there, ${used.get(resource)}`,
          );
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** The scenarios of budgets, and of pods that nobody else will end, on the embedded API server: the whole manager, no network. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, PODS } from "kubeloop/api";
import { objects, type TestCluster, withTestCluster } from "kubeloop/testing";
import { budgetSays, createBudget, evict, THING_DEFINITION } from "../scenarios/disruption_kit.ts";
import { DISRUPTION_SCENARIOS } from "../scenarios/disruption_scenarios.ts";
import { POD_GC_SCENARIOS, TERMINATED_POD_SCENARIOS } from "../scenarios/pod_gc_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { isReady } from "../scenarios/set_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

function scenarioTests(scenarios: readonly Scenario[], flags: readonly string[] = []): void {
  for (const { name, run } of scenarios) {
    Deno.test(`scenario ${name} settles on the embedded API server`, () =>
      withTestCluster(
        { flags, manifests: [THING_DEFINITION] },
        async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario"))),
      ));
  }
}

scenarioTests([...DISRUPTION_SCENARIOS, ...POD_GC_SCENARIOS]);
scenarioTests(TERMINATED_POD_SCENARIOS, ["--terminated-pod-gc-threshold=1"]);

const STATUS = { verb: "update", resource: "poddisruptionbudgets.policy/status" } as const;

/** What goes wrong, and how often at least. */
const FAULTS: ReadonlyArray<
  readonly [title: string, fault: Parameters<TestCluster["fault"]>[0] | undefined, hits: number]
> = [
  ["at ease", undefined, 0],
  ["while statuses meet conflicts", { ...STATUS, after: 2, times: 10, status: { code: 409 } }, 5],
  ["while statuses cannot be written", { ...STATUS, after: 2, times: 10, status: { code: 500 } }, 5],
  ["while answers are lost", { ...STATUS, after: 2, times: 10, drop: "after" }, 5],
  [
    "while caches of pods are five seconds late",
    { verb: "watch", resource: "pods", userAgent: "shared-informers", lagMs: 5_000 },
    1,
  ],
];
/** By then every watch has ended once and begun anew. */
const ALL_WATCHES_ANEW_MS = 15 * 60_000;

for (const [title, fault, hits] of FAULTS) {
  Deno.test(`Evicting whatever may be evicted never takes a workload below its budget: ${title}`, () =>
    withTestCluster({ nodes: 4 }, async (cluster) => {
      const kit = kitOf(cluster, await cluster.namespace("scenario"));
      await kit.create(DEPLOYMENTS, objects.deployment("a", { replicas: 6 }));
      await kit.rolledOut("a");
      const met = fault && cluster.fault(fault);
      if (fault?.verb === "watch") await cluster.advance(ALL_WATCHES_ANEW_MS);
      await createBudget(kit, { minAvailable: "60%" });
      await budgetSays(kit, [2, 6, 4, 6]);
      const old = new Set((await kit.list(PODS)).map(({ metadata }) => metadata!.name!));
      let [evicted, refused, least] = [0, 0, Infinity];
      await cluster.eventually("all pods have been replaced", async () => {
        for (const name of old) {
          const code = await evict(kit, name);
          if (code === 201) evicted++;
          if (code === 429) refused++;
          if (code === 404) old.delete(name);
        }
        least = Math.min(least, (await kit.list(PODS)).filter(isReady).length);
        return old.size === 0;
      });
      await budgetSays(kit, [2, 6, 4, 6]);
      assertEquals([evicted >= 6, refused > 0, least], [true, true, 4]);
      assertEquals((met?.hits ?? 0) >= hits, true, `${met?.hits} requests were met`);
    }));
}

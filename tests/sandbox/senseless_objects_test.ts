/**
 * Objects that make no sense to a controller, on the embedded API server: others of their kind go on, and whatever is wrong keeps
 * no controller busy. Beside those of the parity tests these are objects over which upstream's manager crashes.
 */
import { assert } from "@std/assert";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { withMetrics } from "../scenarios/autoscaling_kit.ts";
import { FATAL_SCENARIOS } from "../scenarios/fatal_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { SENSELESS_JOB_SCENARIOS } from "../scenarios/senseless_job_scenarios.ts";
import {
  SENSELESS_AUTOSCALING_SCENARIOS,
  SENSELESS_POD_GC_SCENARIOS,
  SENSELESS_POLICY_SCENARIOS,
  WIDGET_DEFINITION,
} from "../scenarios/senseless_policy_scenarios.ts";
import { SENSELESS_SET_SCENARIOS } from "../scenarios/senseless_set_scenarios.ts";
import { SKEWED_AUTOSCALING_SCENARIOS, SKEWED_TIME_SCENARIOS } from "../scenarios/skewed_time_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const MINUTE_MS = 60_000;
const MINUTES = 5;
/** An autoscaler looks every 15 s; a key that fails waits ever longer, at most 17 minutes. */
const MOST_SYNCS = 25;
/** A sync asks for little. */
const MOST_WRITES = 2 * MOST_SYNCS;

/** How often each key was synced, and how many requests to change something were sent, in {@link MINUTES}. */
async function busyness(
  cluster: TestCluster,
): Promise<{ readonly syncs: Map<string, number>; readonly writes: number }> {
  const [syncs, before] = [new Map<string, number>(), cluster.managerWrites];
  for (let minute = 0; minute < MINUTES; minute++) {
    cluster.history.note(`minute ${minute}`);
    await cluster.advance(MINUTE_MS);
    const lines = cluster.history.dump({ last: 4_000 }).split("\n");
    const start = lines.findLastIndex((line) => line.includes(`note     minute ${minute}`));
    assert(start >= 0, `minute ${minute} had more than 4,000 entries:\n${lines.slice(-100).join("\n")}`);
    for (const line of lines.slice(start)) {
      const [, key] = /\d+s sync +(\S+ \S+) /.exec(line) ?? [];
      if (key) syncs.set(key, (syncs.get(key) ?? 0) + 1);
    }
  }
  return { syncs, writes: cluster.managerWrites - before };
}

/** @returns How often keys were synced after all had settled. */
async function play(cluster: TestCluster, { run }: Scenario): Promise<ReadonlyMap<string, number>> {
  const namespace = await cluster.namespace("scenario");
  await run(kitOf(cluster, namespace));
  const { syncs, writes } = await busyness(cluster);
  const most = [...syncs].filter(([key, count]) => key.includes("scenario") && count > MOST_SYNCS);
  assert(most.length === 0, `synced again and again: ${most}`);
  assert(writes <= MOST_WRITES, `${writes} writes in ${MINUTES} minutes`);
  return syncs;
}

const PLAIN = [
  ...SENSELESS_SET_SCENARIOS,
  ...SENSELESS_JOB_SCENARIOS,
  ...SENSELESS_POLICY_SCENARIOS,
  ...SENSELESS_POD_GC_SCENARIOS,
  ...SKEWED_TIME_SCENARIOS,
  ...FATAL_SCENARIOS,
];

for (const scenario of PLAIN) {
  Deno.test(`scenario ${scenario.name} on the embedded API server keeps nobody busy`, () =>
    withTestCluster({ startsAt: new Date() }, async (cluster) => void await play(cluster, scenario)));
}

for (const { name, run } of [...SENSELESS_AUTOSCALING_SCENARIOS, ...SKEWED_AUTOSCALING_SCENARIOS]) {
  Deno.test(`scenario ${name} on the embedded API server keeps nobody busy`, () =>
    withTestCluster({ manifests: [WIDGET_DEFINITION] }, async (cluster) => {
      const [scenario] = withMetrics([{ name, run }], cluster.metrics);
      const syncs = await play(cluster, scenario);
      const looks = syncs.get("horizontal-pod-autoscaler-controller scenario/h") ?? 0;
      assert(looks >= 3 * MINUTES, `the healthy autoscaler was looked at ${looks} times`);
    }));
}

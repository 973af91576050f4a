/** What goes wrong around workloads, on the embedded API server: the whole manager, no network, no waiting. */
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import {
  AUTOSCALING_FAILURES,
  BUDGET_FAILURES,
  CRONJOB_FAILURES,
  DAEMON_FAILURES,
  JOB_FAILURES,
  REPLICATION_FAILURES,
} from "../scenarios/failure_scenarios.ts";
import { Kit } from "../scenarios/kit.ts";
import { NODE_LOSS_SCENARIOS } from "../scenarios/node_loss_scenarios.ts";

async function kitOf(cluster: TestCluster): Promise<Kit> {
  const namespace = await cluster.namespace("scenario");
  return new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) });
}

const startsAt = new Date("2026-11-20T12:00:10Z");

for (
  const { name, run } of [
    ...JOB_FAILURES,
    ...CRONJOB_FAILURES,
    ...REPLICATION_FAILURES,
    ...DAEMON_FAILURES,
    ...BUDGET_FAILURES,
    ...NODE_LOSS_SCENARIOS,
  ]
) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ startsAt }, async (cluster) => await run(await kitOf(cluster))));
}

for (const { name, run } of AUTOSCALING_FAILURES) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({}, async (cluster) => await run(await kitOf(cluster), cluster.metrics)));
}

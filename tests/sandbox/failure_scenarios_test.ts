/** What goes wrong around workloads, on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import {
  AUTOSCALING_FAILURES,
  BUDGET_FAILURES,
  CRONJOB_FAILURES,
  DAEMON_FAILURES,
  JOB_FAILURES,
  REPLICATION_FAILURES,
} from "../scenarios/failure_scenarios.ts";
import { NODE_LOSS_SCENARIOS } from "../scenarios/node_loss_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

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
    withTestCluster({ startsAt }, async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario")))));
}

for (const { name, run } of AUTOSCALING_FAILURES) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster(
      {},
      async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario")), cluster.metrics),
    ));
}

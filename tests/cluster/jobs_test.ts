/** What comes of Jobs and CronJobs under upstream's manager and under ours, on a real API server with simulated nodes. */
import { CRONJOBS, JOBS } from "../../src/api/mod.ts";
import { CRONJOB_SCENARIOS } from "../scenarios/cronjob_scenarios.ts";
import { CRONJOB_FAILURES, JOB_FAILURES } from "../scenarios/failure_scenarios.ts";
import { JOB_SCENARIOS } from "../scenarios/job_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Jobs, their pods and their events are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await assertParity(cluster, {
    area: "jobs",
    scenarios: [...JOB_SCENARIOS, ...JOB_FAILURES],
    resources: [JOBS],
    parallel: 16, // most of them wait for 10 s before a pod is made anew
  });
});

parityTest(
  "CronJobs, their Jobs and their events are the same under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    const scenarios = [...CRONJOB_SCENARIOS, ...CRONJOB_FAILURES];
    await assertParity(cluster, {
      area: "cronjobs",
      beside: () => cluster.beside(),
      scenarios,
      resources: [JOBS, CRONJOBS],
      parallel: scenarios.length, // they wait for the same minute
    });
  },
);

/** Workloads and policies whose manager is killed at its writes. */
import { CRASH_SCENARIOS } from "../scenarios/crash_scenarios.ts";
import { clusterTest } from "./cluster.ts";
import { EAGER_FLAGS } from "./scaled_by_metrics.ts";
import { assertSurvives } from "./survives_crashes.ts";

clusterTest("a manager that is killed at its writes ends where one ends that lives", () =>
  assertSurvives({
    // Deployments are none of these controllers' work but what some of them work on, and Parallel sets differ in memory only.
    scenarios: CRASH_SCENARIOS.filter(({ name }) => name !== "deployment" && name !== "parallel"),
    flags: EAGER_FLAGS,
  }));

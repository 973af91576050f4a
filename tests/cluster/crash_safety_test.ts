/** Workloads and policies whose manager is killed at its writes. */
import { CRASH_SCENARIOS, type CrashScenario } from "../scenarios/crash_scenarios.ts";
import { clusterTest } from "./cluster.ts";
import { EAGER_FLAGS } from "./scaled_by_metrics.ts";
import { assertSurvives } from "./survives_crashes.ts";

/** What an autoscaler that looks each second may tell besides. */
const TOLD_IN_HASTE: CrashScenario["mayTell"] = new Map([
  [
    /FailedUpdateStatus "Operation cannot be fulfilled/,
    "a look may come before the watch tells what the last one wrote",
  ],
]);

clusterTest("a manager that is killed at its writes ends where one ends that lives", () =>
  assertSurvives({
    // Deployments are none of these controllers' work but what some of them work on, and Parallel sets differ in memory only.
    scenarios: CRASH_SCENARIOS.filter(({ name }) => name !== "deployment" && name !== "parallel")
      .map((scenario) => scenario.name === "scaled" ? { ...scenario, mayTell: TOLD_IN_HASTE } : scenario),
    flags: EAGER_FLAGS,
  }));

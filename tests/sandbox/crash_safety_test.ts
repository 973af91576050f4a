/** Jobs, CronJobs, autoscalers, budgets, quotas and pods to be swept, whose manager is killed at each of its writes. */
import { POLICY_CRASH_SCENARIOS, RUN_CRASH_SCENARIOS, SLOW_CRASH_SCENARIOS } from "../scenarios/crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes([...RUN_CRASH_SCENARIOS, ...POLICY_CRASH_SCENARIOS, ...SLOW_CRASH_SCENARIOS]);

/** Machines that stop, start and go, and whose manager is killed at each of its writes. */
import { CLOUD_CRASH_FLAGS, CLOUD_CRASH_SCENARIOS } from "../scenarios/cloud_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(CLOUD_CRASH_SCENARIOS, { cloud: true, flags: CLOUD_CRASH_FLAGS });

/** Storage versions, migrations, groups of pods and admission policies whose manager is killed at each of its writes. */
import { UPKEEP_CRASH_FLAGS, UPKEEP_CRASH_SCENARIOS } from "../scenarios/upkeep_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(UPKEEP_CRASH_SCENARIOS, { nodes: 0, flags: UPKEEP_CRASH_FLAGS });

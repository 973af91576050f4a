/** Claims, volumes and devices whose manager is killed at each of its writes. */
import { VOLUME_CRASH_SCENARIOS } from "../scenarios/volume_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(VOLUME_CRASH_SCENARIOS);

/** Sets of pods whose manager is killed at each of its writes; a file of its own, so that it can be played beside the others. */
import { SET_CRASH_SCENARIOS } from "../scenarios/crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(SET_CRASH_SCENARIOS);

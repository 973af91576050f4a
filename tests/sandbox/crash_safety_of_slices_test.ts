/** Slices of Services and mirrors of Endpoints whose manager is killed at each of its writes. */
import { SLICE_CRASH_SCENARIOS } from "../scenarios/slice_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(SLICE_CRASH_SCENARIOS);

/** Attached volumes whose manager is killed at each of its writes. */
import { ATTACHMENT_CRASH_SCENARIOS } from "../scenarios/attachment_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(ATTACHMENT_CRASH_SCENARIOS);

/** Claims that grow and labels that conflict, whose manager is killed at each of its writes. */
import { CLAIM_CRASH_SCENARIOS } from "../scenarios/claim_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(CLAIM_CRASH_SCENARIOS, { nodes: 0 });

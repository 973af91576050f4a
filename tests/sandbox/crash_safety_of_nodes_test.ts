/** Nodes that join, fall silent and return, and whose manager is killed at each of its writes. */
import { NODE_CRASH_FLAGS, NODE_CRASH_SCENARIOS } from "../scenarios/node_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(NODE_CRASH_SCENARIOS, { nodes: 0, flags: NODE_CRASH_FLAGS });

/** Devices and their users whose manager is killed at each of its writes. */
import { DEVICE_CRASH_FLAGS, DEVICE_CRASH_SCENARIOS } from "../scenarios/device_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(DEVICE_CRASH_SCENARIOS, { nodes: 0, flags: DEVICE_CRASH_FLAGS });

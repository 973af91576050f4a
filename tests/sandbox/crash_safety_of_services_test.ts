/** Endpoints, ServiceCIDRs and nodes whose manager is killed at each of its writes. */
import { SERVICE_CRASH_SCENARIOS } from "../scenarios/service_crash_scenarios.ts";
import { testCrashes } from "./crash_checks.ts";

testCrashes(SERVICE_CRASH_SCENARIOS);

import { parseCronSchedule, TimeZone } from "../../../../rules/mod.ts";
import { problemOf } from "../../validation/mod.ts";

/** What is wrong with a cron schedule, as upstream's parser says it. */
export function scheduleProblem(schedule: string): string | undefined {
  return problemOf(() => parseCronSchedule(schedule));
}

/** What is wrong with the name of a time zone. */
export function zoneProblem(name: string): string | undefined {
  return problemOf(() => TimeZone.load(name));
}

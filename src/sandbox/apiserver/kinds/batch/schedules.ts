import { parseCronSchedule, TimeZone } from "../../../../rules/mod.ts";
import { problemOf } from "../../validation/mod.ts";

/** Why a cron schedule is invalid, in the wording of upstream's parser. */
export function scheduleProblem(schedule: string): string | undefined {
  return problemOf(() => parseCronSchedule(schedule));
}

/** Why the name of a time zone is invalid. */
export function zoneProblem(name: string): string | undefined {
  return problemOf(() => TimeZone.load(name));
}

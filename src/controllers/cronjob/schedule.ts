import { errorText } from "../../base/mod.ts";
import { type CronJob, parseTime } from "../../api/mod.ts";
import { type CronSchedule, parseCronSchedule, TimeZone, ZERO_TIME_MS } from "../../rules/mod.ts";
import { secondsAsGoMs } from "../pods/mod.ts";

/** Added to the time of the next check, for clocks that differ slightly. */
const REQUEUE_PADDING_MS = 100;
/** More missed times than this cause a warning. */
const MANY = 100;
/**
 * After this many single steps, the latest time is searched for instead: a status may claim that the last one was two
 * thousand years ago.
 */
const ONE_BY_ONE = 30;
/** Go's longest duration. */
const LONGEST_MS = 2 ** 63 / 1e6;

/**
 * A CronJob's schedule. A time zone in its text, which is not officially supported, wins over `spec.timeZone`.
 *
 * @param localZone This process's time zone, for a CronJob that names none.
 * @throws {Error} With upstream's words.
 */
export function scheduleOf({ spec }: CronJob, localZone: TimeZone): CronSchedule {
  const { schedule, timeZone } = spec;
  const isNamed = timeZone !== undefined && !namesZone(spec.schedule) && zoneProblem(timeZone) === undefined;
  return parseCronSchedule(isNamed ? `TZ=${timeZone} ${schedule}` : schedule, localZone);
}

/** Whether the text of a schedule contains a time zone. */
export function namesZone(schedule: string): boolean {
  return schedule.includes("TZ");
}

/** The objection to a time zone's name, in Go's words. */
export function zoneProblem(name: string): string | undefined {
  try {
    TimeZone.load(name);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** What is due in a schedule. All times in milliseconds since 1970. */
export interface Due {
  /** Where counting began: the last scheduled time, the creation, or the deadline for starting late. */
  readonly earliestMs: number;
  /** The latest due time; `undefined` if there is none, or if the arithmetic for missed times finds none. */
  readonly latestMs?: number;
  readonly missed: "none" | "few" | "many";
}

/**
 * The latest due time of a schedule. The arithmetic for several missed times assumes an even schedule and may miss a
 * time of an uneven one. Upstream does the same, and Jobs are named after these times, so this must too.
 * Upstream: `pkg/controller/cronjob/utils.go` (mostRecentScheduleTime).
 *
 * @param options.withDeadline Whether times before `startingDeadlineSeconds` ago are left out.
 * @throws {Error} If the schedule has no two different times because it names an impossible day.
 */
export function whatIsDue(
  cronJob: CronJob,
  schedule: CronSchedule,
  { nowMs, withDeadline }: { readonly nowMs: number; readonly withDeadline: boolean },
): Due {
  const earliestMs = earliestOf(cronJob, { nowMs, withDeadline });
  const firstMs = schedule.next(earliestMs);
  if (nowMs < firstMs) return { earliestMs, missed: "none" };
  const secondMs = schedule.next(firstMs);
  // None within five years, although there are others: 29 February can be eight years away.
  if (firstMs === ZERO_TIME_MS && secondMs !== firstMs) return { earliestMs, missed: "none" };
  if (nowMs < secondMs) return { earliestMs, latestMs: firstMs, missed: "none" };
  const stepSeconds = Math.round((secondMs - firstMs) / 1000);
  if (stepSeconds < 1) throw new Error("time difference between two schedules is less than 1 second");
  const elapsedSeconds = Math.trunc(Math.min(nowMs - firstMs, LONGEST_MS) / 1000);
  const count = Math.trunc(elapsedSeconds / stepSeconds) + 1;
  const fromMs = firstMs + (count - 2) * stepSeconds * 1000;
  return { earliestMs, latestMs: latestOf(schedule, fromMs, nowMs), missed: count > MANY ? "many" : "few" };
}

/**
 * The latest due time after the first; `undefined` if there is none. Upstream steps from one to the next, in some cases
 * for ever.
 */
function latestOf(schedule: CronSchedule, afterMs: number, nowMs: number): number | undefined {
  const isDue = (atMs: number) => atMs !== ZERO_TIME_MS && atMs <= nowMs;
  let latestMs: number | undefined;
  let atMs = schedule.next(afterMs);
  for (let seen = 0; isDue(atMs); seen++, atMs = schedule.next(atMs)) {
    latestMs = atMs;
    if (seen < ONE_BY_ONE) continue;
    for (let notAfterMs = nowMs; notAfterMs - latestMs > 1000;) {
      const middleMs = (latestMs + notAfterMs) / 2;
      const foundMs = schedule.next(middleMs);
      if (isDue(foundMs)) latestMs = foundMs;
      else notAfterMs = middleMs;
    }
    return latestMs;
  }
  return latestMs;
}

/**
 * How long until a CronJob must be checked again, in milliseconds; `undefined` if there is no next time within five
 * years.
 */
export function requeueAfterMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number | undefined {
  const nextMs = schedule.next(requeueBase(cronJob, schedule, nowMs));
  return nextMs === ZERO_TIME_MS ? undefined : nextMs + REQUEUE_PADDING_MS - nowMs;
}

/** The time from which the next one of the schedule is computed. */
function requeueBase(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number {
  try {
    const { earliestMs, latestMs, missed } = whatIsDue(cronJob, schedule, { nowMs, withDeadline: false });
    return latestMs ?? (missed === "none" ? earliestMs : nowMs);
  } catch {
    return nowMs; // it must be checked at some point
  }
}

function earliestOf(
  { metadata, spec, status }: CronJob,
  { nowMs, withDeadline }: { readonly nowMs: number; readonly withDeadline: boolean },
): number {
  const sinceMs = parseTime(status?.lastScheduleTime ?? metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z");
  if (!withDeadline || spec.startingDeadlineSeconds === undefined) return sinceMs;
  return Math.max(sinceMs, nowMs - secondsAsGoMs(spec.startingDeadlineSeconds));
}

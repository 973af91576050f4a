import { errorText } from "../../base/mod.ts";
import { type CronJob, parseTime } from "../../api/mod.ts";
import { type CronSchedule, parseCronSchedule, TimeZone, ZERO_TIME_MS } from "../../rules/mod.ts";
import { secondsAsGoMs } from "../pods/mod.ts";

/** Added to the time at which a CronJob is looked at again, for clocks that differ a little. */
const REQUEUE_PADDING_MS = 100;
/** More missed times than these are worth a warning. */
const MANY = 100;
/** After so many times, one by one, the latest is searched for: a status may say that the last one was two thousand years ago. */
const ONE_BY_ONE = 30;
/** Go's longest duration. */
const LONGEST_MS = 2 ** 63 / 1e6;

/**
 * The schedule of a CronJob. A time zone in its text, which is not supported officially, wins over `spec.timeZone`.
 *
 * @param localZone For a CronJob that names none: where this process runs.
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

/** What is wrong with the name of a time zone, in Go's words. */
export function zoneProblem(name: string): string | undefined {
  try {
    TimeZone.load(name);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** What of a schedule is due. All times in milliseconds since 1970. */
export interface Due {
  /** Where the count began: the last time that was scheduled, the creation, or the deadline for starting late. */
  readonly earliestMs: number;
  /** The latest time that has come; `undefined` if none has, or if the arithmetic for missed times finds none. */
  readonly latestMs?: number;
  readonly missed: "none" | "few" | "many";
}

/**
 * The latest time of a schedule that has come. The arithmetic for several missed times takes a schedule for even; of an
 * uneven one it may miss a time. Upstream does the same, and so must this: Jobs are named after these times.
 * Upstream: `pkg/controller/cronjob/utils.go` (mostRecentScheduleTime).
 *
 * @param options.withDeadline Whether times before `startingDeadlineSeconds` ago are left out.
 * @throws {Error} If the schedule has no two different times: it names a day that never is.
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
  // None within five years, though there are others: 29 February has been eight years away, and will be.
  if (firstMs === ZERO_TIME_MS && secondMs !== firstMs) return { earliestMs, missed: "none" };
  if (nowMs < secondMs) return { earliestMs, latestMs: firstMs, missed: "none" };
  const stepSeconds = Math.round((secondMs - firstMs) / 1000);
  if (stepSeconds < 1) throw new Error("time difference between two schedules is less than 1 second");
  const elapsedSeconds = Math.trunc(Math.min(nowMs - firstMs, LONGEST_MS) / 1000);
  const count = Math.trunc(elapsedSeconds / stepSeconds) + 1;
  const fromMs = firstMs + (count - 2) * stepSeconds * 1000;
  return { earliestMs, latestMs: latestOf(schedule, fromMs, nowMs), missed: count > MANY ? "many" : "few" };
}

/** The latest time after the first that has come; `undefined` if none has. Upstream goes from one to the next, some of them for ever. */
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

/** How long until a CronJob has to be looked at again, in milliseconds; `undefined` if there is no next time within five years. */
export function requeueAfterMs(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number | undefined {
  const nextMs = schedule.next(requeueBase(cronJob, schedule, nowMs));
  return nextMs === ZERO_TIME_MS ? undefined : nextMs + REQUEUE_PADDING_MS - nowMs;
}

/** The time after which the next one of the schedule is looked for. */
function requeueBase(cronJob: CronJob, schedule: CronSchedule, nowMs: number): number {
  try {
    const { earliestMs, latestMs, missed } = whatIsDue(cronJob, schedule, { nowMs, withDeadline: false });
    return latestMs ?? (missed === "none" ? earliestMs : nowMs);
  } catch {
    return nowMs; // it has to be looked at some time
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

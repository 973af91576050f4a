import { errorText } from "../base/mod.ts";
import { type CronField, type CronFields, parseCronFields } from "./cron_fields.ts";
import { parseDuration } from "../api/mod.ts";
import { type LocalTime, TimeZone } from "./time_zone.ts";

/** The times of a recurring event. */
export interface CronSchedule {
  /**
   * The first time after this one, in milliseconds since 1970; {@link ZERO_TIME_MS} if there is none within five years.
   */
  next(afterMs: number): number;
}

/** Go's zero time: 1 January of the year 1. */
export const ZERO_TIME_MS: number = -62_135_596_800_000;

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const EVERY = "@every ";
/** How many years ahead to search for a time. */
const YEARS_AHEAD = 5;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Reads a schedule: five fields, a descriptor such as `@hourly`, or `@every` with a duration; optionally preceded by
 * `TZ=zone`. Upstream: `github.com/robfig/cron` (ParseStandard), whose arithmetic at clock changes is kept, because the
 * Jobs of a CronJob are named after the resulting times.
 *
 * @param zone Used if the schedule does not name one; the process's own by default.
 * @throws {Error} With upstream's message.
 *
 * @example
 * ```ts
 * import { parseCronSchedule } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const weekdays = parseCronSchedule("TZ=Europe/Rome 30 6 * * mon-fri");
 * assertEquals(weekdays.next(Date.UTC(2026, 6, 3, 12)), Date.UTC(2026, 6, 6, 4, 30)); // Friday to Monday
 * ```
 */
export function parseCronSchedule(text: string, zone: TimeZone = TimeZone.local()): CronSchedule {
  if (text === "") throw new Error("empty spec string");
  if (!/^(CRON_)?TZ=/.test(text)) return parseSpec(text, zone);
  const end = text.indexOf(" ");
  // Upstream panics on this one, and reports the panic.
  if (end < 0) throw new Error("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const name = text.slice(text.indexOf("=") + 1, end);
  try {
    zone = TimeZone.load(name);
  } catch (error) {
    throw new Error(`provided bad location ${name}: ${errorText(error)}`, { cause: error });
  }
  return parseSpec(text.slice(end).trim(), zone);
}

function parseSpec(text: string, zone: TimeZone): CronSchedule {
  if (!text.startsWith("@")) return new FieldSchedule(parseCronFields(text), zone);
  if (Object.hasOwn(DESCRIPTORS, text)) return new FieldSchedule(parseCronFields(DESCRIPTORS[text]), zone);
  if (!text.startsWith(EVERY)) throw new Error(`unrecognized descriptor: ${text}`);
  try {
    return new IntervalSchedule(parseDuration(text.slice(EVERY.length)));
  } catch (error) {
    throw new Error(`failed to parse duration ${text}: ${errorText(error)}`, { cause: error });
  }
}

/** Every so many seconds after the given time. */
class IntervalSchedule implements CronSchedule {
  readonly #seconds: number;

  constructor(intervalMs: number) {
    this.#seconds = Math.max(1, Math.floor(intervalMs / 1000));
  }

  next(afterMs: number): number {
    return (Math.floor(afterMs / 1000) + this.#seconds) * 1000;
  }
}

/** The state of a search for the next time. */
interface Cursor {
  atMs: number;
  /** Whether it has moved: from then on all smaller parts start at their minimum. */
  hasMoved: boolean;
}

/** All times whose parts match the fields. */
class FieldSchedule implements CronSchedule {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;

  constructor(fields: CronFields, zone: TimeZone) {
    this.#fields = fields;
    this.#zone = zone;
  }

  next(afterMs: number): number {
    if (Object.values(this.#fields).some(({ isEmpty }: CronField) => isEmpty)) return ZERO_TIME_MS;
    const cursor: Cursor = { atMs: Math.floor(afterMs / 1000) * 1000 + 1000, hasMoved: false };
    const lastYear = this.#local(cursor).year + YEARS_AHEAD;
    // A part that wrapped around may have changed the larger ones, so start over.
    do {
      if (this.#local(cursor).year > lastYear) return ZERO_TIME_MS;
    } while (
      !this.#findMonth(cursor) || !this.#findDay(cursor) || !this.#findHour(cursor) || !this.#findMinute(cursor)
    );
    return cursor.atMs;
  }

  /** @returns Whether the month was found before the year's end; the methods for the other parts below work alike. */
  #findMonth(cursor: Cursor): boolean {
    while (!this.#fields.month.has(this.#local(cursor).month)) {
      this.#begin(cursor, { day: 1, hour: 0, minute: 0, second: 0 });
      cursor.atMs = this.#plus(cursor, { month: 1 });
      if (this.#local(cursor).month === 1) return false;
    }
    return true;
  }

  #findDay(cursor: Cursor): boolean {
    while (!this.#matchesDay(cursor)) {
      this.#begin(cursor, { hour: 0, minute: 0, second: 0 });
      cursor.atMs = this.#plus(cursor, { day: 1 });
      // Where clocks change at midnight, the day begins at 1:00, or this is still 23:00 on the day before.
      const { hour } = this.#local(cursor);
      if (hour !== 0) cursor.atMs += (hour > 12 ? 24 - hour : -hour) * HOUR_MS;
      if (this.#local(cursor).day === 1) return false;
    }
    return true;
  }

  #findHour(cursor: Cursor): boolean {
    while (!this.#fields.hour.has(this.#zone.hour(cursor.atMs))) {
      this.#begin(cursor, { minute: 0, second: 0 });
      cursor.atMs += HOUR_MS;
      if (this.#zone.hour(cursor.atMs) === 0) return false;
    }
    return true;
  }

  #findMinute(cursor: Cursor): boolean {
    while (!this.#fields.minute.has(this.#zone.minute(cursor.atMs))) {
      if (!cursor.hasMoved) cursor.atMs = Math.floor(cursor.atMs / MINUTE_MS) * MINUTE_MS;
      cursor.hasMoved = true;
      cursor.atMs += MINUTE_MS;
      if (this.#zone.minute(cursor.atMs) === 0) return false;
    }
    const { second } = this.#local(cursor);
    if (second === 0) return true;
    cursor.hasMoved = true;
    cursor.atMs += MINUTE_MS - second * 1000;
    return false;
  }

  /** Days match by both fields if one of them is open, else by either. */
  #matchesDay(cursor: Cursor): boolean {
    const { day, weekday } = this.#local(cursor);
    const { dayOfMonth, dayOfWeek } = this.#fields;
    const [isDay, isWeekday] = [dayOfMonth.has(day), dayOfWeek.has(weekday)];
    return dayOfMonth.isOpen || dayOfWeek.isOpen ? isDay && isWeekday : isDay || isWeekday;
  }

  #begin(cursor: Cursor, parts: Partial<LocalTime>): void {
    if (!cursor.hasMoved) cursor.atMs = this.#zone.instant({ ...this.#local(cursor), ...parts });
    cursor.hasMoved = true;
  }

  #plus(cursor: Cursor, { month = 0, day = 0 }: { readonly month?: number; readonly day?: number }): number {
    const local = this.#local(cursor);
    return this.#zone.instant({ ...local, month: local.month + month, day: local.day + day });
  }

  #local({ atMs }: Cursor): ReturnType<TimeZone["localTime"]> {
    return this.#zone.localTime(atMs);
  }
}

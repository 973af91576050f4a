import { goQuote } from "../base/mod.ts";

/**
 * A time as objects carry it (`metav1.Time`): UTC, whole seconds, the rest cut off.
 *
 * @param wallMs Milliseconds since 1970.
 *
 * @example
 * ```ts
 * import { formatTime, parseTime } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(formatTime(Date.UTC(2026, 0, 1) + 999), "2026-01-01T00:00:00Z");
 * assertEquals(parseTime("2026-01-01T01:00:00+01:00"), Date.UTC(2026, 0, 1));
 * ```
 */
export function formatTime(wallMs: number): string {
  return `${new Date(Math.floor(wallMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * A time with microseconds (`metav1.MicroTime`), always six digits: `2026-01-01T00:00:00.000000Z`. Exact until 2109.
 */
export function formatMicroTime(wallMs: number): string {
  // Rounded, since milliseconds with a fraction hold a microsecond only to the nearest binary fraction.
  const micros = Math.round(wallMs * 1000);
  const seconds = Math.floor(micros / 1e6);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros - seconds * 1e6).padStart(6, "0")}Z`;
}

const LAYOUT = "2006-01-02T15:04:05Z07:00";

/** The parts of {@link LAYOUT} in order, with what Go accepts for each. */
const ELEMENTS: readonly (readonly [layout: string, pattern: RegExp])[] = [
  ["2006", /\d{4}/y],
  ["-", /-/y],
  ["01", /\d\d/y],
  ["-", /-/y],
  ["02", /\d\d/y],
  ["T", /T/y],
  ["15", /\d\d?/y],
  [":", /:/y],
  ["04", /\d\d/y],
  [":", /:/y],
  ["05", /\d\d/y],
  ["", /(?:[.,]\d+)?/y],
  ["Z07:00", /Z|[+-]\d\d:\d\d/y],
];

/** As the API server writes times; the platform can read these, but takes the 30th of February for a day in March. */
const USUAL = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\dZ$/;

/**
 * Milliseconds since 1970 (with a fraction where the text has microseconds) of an RFC 3339 time with any offset. Digits
 * beyond the microsecond are cut off.
 *
 * @throws {Error} With Go's words: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
 */
export function parseTime(text: string): number {
  if (USUAL.test(text)) {
    const ms = Date.parse(text);
    if (new Date(ms).getUTCDate() === Number(text.slice(8, 10))) return ms;
  }
  const [year, , month, , day, , hour, , minute, , second, fraction, zone] = elements(text);
  const check = (name: string, inRange: boolean) => {
    if (!inRange) throw new Error(`parsing time ${goQuote(text)}: ${name} out of range`);
  };
  const monthIndex = Number(month) - 1;
  const [, sign, offsetHour, offsetMinute] = /([+-])(\d\d):(\d\d)/.exec(zone) ?? ["", "+", "0", "0"];
  check("month", monthIndex >= 0 && monthIndex < 12);
  check("hour", Number(hour) < 24);
  check("minute", Number(minute) < 60);
  check("second", Number(second) < 60);
  check("time zone offset hour", Number(offsetHour) <= 24);
  check("time zone offset minute", Number(offsetMinute) <= 60);
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(Number(year), monthIndex, Number(day));
  check("day", date.getUTCMonth() === monthIndex && date.getUTCDate() === Number(day));
  const offsetMinutes = Number(`${sign}1`) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  const micros = Number(fraction.slice(1, 7).padEnd(6, "0"));
  return date.getTime() + minutes * 60_000 + Number(second) * 1000 + micros / 1000;
}

function elements(text: string): string[] {
  let at = 0;
  const fail = (why: string) => new Error(`parsing time ${goQuote(text)} as "${LAYOUT}": ${why}`);
  const found = ELEMENTS.map(([layout, pattern]) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw fail(`cannot parse ${goQuote(text.slice(at))} as "${layout}"`);
    at += match[0].length;
    return match[0];
  });
  if (at < text.length) throw new Error(`parsing time ${goQuote(text)}: extra text: ${goQuote(text.slice(at))}`);
  return found;
}

/** A local time. Months count from 1, weekdays from Sunday as 0. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Clocks change on quarter hours only, so the offset stays the same within one. */
const OFFSET_HOLDS_MS = 15 * MINUTE_MS;
/** How many offsets a zone caches before it starts over. */
const REMEMBERED = 4096;

/**
 * A time zone as Go knows it; schedules are read in one.
 *
 * Contract:
 * 1. Names are those of the tz database, as they are spelled there; `UTC`, the empty name (UTC as well) and `Local` are
 *    names too.
 * 2. A local time that does not exist, since clocks were put forward, is resolved with the offset in force at the time
 *    that has the same digits in UTC, or, if that lies in another period, with the offset in force at the resulting
 *    time.
 *
 * Upstream: Go's `time.LoadLocation` and `time.Date`.
 *
 * @example
 * ```ts
 * import { TimeZone } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const rome = TimeZone.load("Europe/Rome");
 * const noon = rome.instant({ year: 2026, month: 7, day: 1, hour: 12, minute: 0, second: 0 });
 * assertEquals(noon, Date.UTC(2026, 6, 1, 10));
 * assertEquals(rome.format(noon), "2026-07-01T12:00:00+02:00");
 * ```
 */
export class TimeZone {
  static readonly UTC: TimeZone = new TimeZone(undefined);

  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #offsets = new Map<number, number>();

  private constructor(format: Intl.DateTimeFormat | undefined) {
    this.#format = format;
  }

  /**
   * The zone with this name.
   *
   * @throws {Error} With Go's message: `unknown time zone x`.
   */
  static load(name: string): TimeZone {
    if (name === "" || name === "UTC") return TimeZone.UTC;
    if (name === "Local") return TimeZone.local();
    if (name.includes("..") || /^[/\\]/.test(name)) throw new Error("time: invalid location name");
    const known = loaded.get(name);
    if (known) return known;
    const format = isSpelledAsInDatabase(name) ? formatOf(name) : undefined;
    if (!format) throw new Error(`unknown time zone ${name}`);
    const zone = new TimeZone(format);
    loaded.set(name, zone);
    return zone;
  }

  /** The zone of this process, which the environment variable `TZ` can set. */
  static local(): TimeZone {
    return TimeZone.load(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  }

  /** How far local clocks are ahead of UTC at this time, in milliseconds. */
  offsetMs(atMs: number): number {
    if (!this.#format) return 0;
    const period = Math.floor(atMs / OFFSET_HOLDS_MS);
    let offsetMs = this.#offsets.get(period);
    if (offsetMs === undefined) {
      if (this.#offsets.size >= REMEMBERED) this.#offsets.clear();
      offsetMs = lookUpOffset(this.#format, period * OFFSET_HOLDS_MS);
      this.#offsets.set(period, offsetMs);
    }
    return offsetMs;
  }

  /** What local clocks show at this time. */
  localTime(atMs: number): LocalTime & { readonly weekday: number } {
    const date = new Date(atMs + this.offsetMs(atMs));
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      weekday: date.getUTCDay(),
    };
  }

  /** Only the hour of {@link localTime}, for callers that need one part at a time. */
  hour(atMs: number): number {
    return floorMod(Math.floor((atMs + this.offsetMs(atMs)) / HOUR_MS), 24);
  }

  /** Only the minute of {@link localTime}. */
  minute(atMs: number): number {
    return floorMod(Math.floor((atMs + this.offsetMs(atMs)) / MINUTE_MS), 60);
  }

  /** When local clocks show this, in milliseconds since 1970; parts that are too large carry over. */
  instant(local: LocalTime): number {
    const asUtcMs = utcMs(local);
    const offsetMs = this.offsetMs(asUtcMs);
    return offsetMs === 0 ? asUtcMs : asUtcMs - this.offsetMs(asUtcMs - offsetMs);
  }

  /** The time in RFC 3339 with the zone's offset, or `Z` if that is zero. */
  format(atMs: number): string {
    const offsetMs = this.offsetMs(atMs);
    const minutes = Math.trunc(Math.abs(offsetMs) / MINUTE_MS);
    const two = (value: number) => String(value).padStart(2, "0");
    const digits = new Date(Math.floor((atMs + offsetMs) / 1000) * 1000).toISOString().slice(0, 19);
    if (offsetMs === 0) return `${digits}Z`;
    return `${digits}${offsetMs < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  }
}

/** By name; there are some six hundred. */
const loaded = new Map<string, TimeZone>();

/** `Intl` accepts names in any case, and offsets as well. */
function isSpelledAsInDatabase(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  const resolved = formatOf(name)?.resolvedOptions().timeZone;
  return resolved === name || resolved?.toLowerCase() !== name.toLowerCase(); // the latter for another name of a zone
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined; // RangeError: no such zone
  }
}

function lookUpOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format.formatToParts(atMs)) parts[type] = value;
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const [month, day] = [Number(parts.month), Number(parts.day)];
  const [hour, minute, second] = [Number(parts.hour), Number(parts.minute), Number(parts.second)];
  return utcMs({ year, month, day, hour, minute, second }) - atMs;
}

/** The non-negative remainder. */
function floorMod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** Not `Date.UTC`, which maps the years 0 to 99 to 1900 to 1999. */
function utcMs({ year, month, day, hour, minute, second }: LocalTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

import { assertEquals, assertThrows } from "@std/assert";
import { parseCronSchedule, TimeZone, ZERO_TIME_MS } from "../../../src/rules/mod.ts";

/** The next `count` times after `from`, as an RFC 3339 text without seconds. */
function next(schedule: string, from: string, count = 3): string[] {
  const times: string[] = [];
  let atMs = Date.parse(from);
  const parsed = parseCronSchedule(schedule, TimeZone.UTC);
  for (let i = 0; i < count; i++) times.push(new Date(atMs = parsed.next(atMs)).toISOString().slice(0, 16));
  return times;
}

Deno.test("parseCronSchedule() reads fields, names, ranges, steps and lists", () => {
  const from = "2026-01-01T00:00:30.500Z"; // a Thursday
  const rows: [schedule: string, times: string[]][] = [
    ["* * * * *", ["2026-01-01T00:01", "2026-01-01T00:02", "2026-01-01T00:03"]],
    ["*/20 * * * *", ["2026-01-01T00:20", "2026-01-01T00:40", "2026-01-01T01:00"]],
    ["50/5 3 * * *", ["2026-01-01T03:50", "2026-01-01T03:55", "2026-01-02T03:50"]],
    ["0 6-16/5 * * ?", ["2026-01-01T06:00", "2026-01-01T11:00", "2026-01-01T16:00"]],
    ["0 0 * JAN,mar Sun", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]],
    ["0 0 13 * 5", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]],
    ["0 0 */2 * 5", ["2026-01-02T00:00", "2026-01-03T00:00", "2026-01-05T00:00"]],
    ["0 0 */1 * 5", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-16T00:00"]],
    ["0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
    [",5, 0 * * *", ["2026-01-01T00:05", "2026-01-02T00:05", "2026-01-03T00:05"]],
    ["@hourly", ["2026-01-01T01:00", "2026-01-01T02:00", "2026-01-01T03:00"]],
    ["@weekly", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]],
    ["@yearly", ["2027-01-01T00:00", "2028-01-01T00:00", "2029-01-01T00:00"]],
    ["@every 1h30m", ["2026-01-01T01:30", "2026-01-01T03:00", "2026-01-01T04:30"]],
  ];
  for (const [schedule, times] of rows) assertEquals(next(schedule, from), times, schedule);
});

Deno.test("parseCronSchedule() counts @every in whole seconds from whatever time is asked about", () => {
  const from = Date.parse("2026-01-01T00:00:30.500Z");
  const after = (schedule: string) => parseCronSchedule(schedule, TimeZone.UTC).next(from) - from;
  assertEquals(["@every 90.9s", "@every 0.2s", "@every 1ms"].map(after), [89_500, 500, 500]);
});

Deno.test("parseCronSchedule() gives the zero time for what never comes", () => {
  for (const schedule of ["59 23 31 2 *", ", * * * *", "0 0 30 2 *"]) {
    assertEquals(parseCronSchedule(schedule, TimeZone.UTC).next(Date.UTC(2026, 0)), ZERO_TIME_MS, schedule);
  }
});

Deno.test("parseCronSchedule() keeps to upstream's arithmetic where clocks change", () => {
  const rows: [schedule: string, from: string, times: string[]][] = [
    // The hour from 2 to 3 is left out in March: the time in it is skipped that day.
    ["TZ=America/New_York 30 2 * * *", "2026-03-07T12:00:00Z", ["2026-03-09T06:30", "2026-03-10T06:30"]],
    // The hour from 1 to 2 comes twice in November: so does the time in it.
    ["TZ=America/New_York 30 1 * * *", "2026-10-31T12:00:00Z", ["2026-11-01T05:30", "2026-11-01T06:30"]],
    ["TZ=Europe/Rome 0 3 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:00", "2026-03-30T01:00"]],
    ["TZ=Europe/Rome 30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30", "2026-10-25T01:30"]],
    // Half an hour only.
    ["TZ=Australia/Lord_Howe 45 1 * * *", "2026-04-04T00:00:00Z", ["2026-04-04T14:45", "2026-04-04T15:15"]],
    // Midnight itself is left out.
    ["TZ=America/Santiago 0 0 * * *", "2026-09-05T12:00:00Z", ["2026-09-07T03:00", "2026-09-08T03:00"]],
    ["TZ=America/Havana 0 0 * * *", "2026-03-07T12:00:00Z", ["2026-03-09T04:00", "2026-03-10T04:00"]],
  ];
  for (const [schedule, from, times] of rows) assertEquals(next(schedule, from, 2), times, schedule);
});

Deno.test("parseCronSchedule() refuses what it cannot read in upstream's words", () => {
  const rows: [schedule: string, message: string][] = [
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["0 0 0 * * *", "expected exactly 5 fields, found 6: [0 0 0 * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    [
      "99999999999999999999 * * * *",
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
    ["@fortnightly", "unrecognized descriptor: @fortnightly"],
    ["@every 1", 'failed to parse duration @every 1: time: missing unit in duration "1"'],
    ["TZ=0", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
    ["TZ=Mars/Base * * * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
  ];
  for (const [schedule, message] of rows) {
    assertThrows(() => parseCronSchedule(schedule, TimeZone.UTC), Error, message, schedule);
  }
});

Deno.test("TimeZone: names are those of the tz database, as they are spelled there", () => {
  for (const name of ["Europe/Rome", "US/Eastern", "GMT", "Etc/GMT+5", "UTC", "", "Local"]) TimeZone.load(name);
  for (const name of ["europe/rome", "us/eastern", "+05:30", "utc", "bad timezone"]) {
    assertThrows(() => TimeZone.load(name), Error, `unknown time zone ${name}`);
  }
  for (const name of ["/etc/localtime", "../Rome"]) {
    assertThrows(() => TimeZone.load(name), Error, "time: invalid location name");
  }
});

Deno.test("TimeZone: a local time that does not exist, since clocks were put forward, is resolved as Go does it; so is one that exists twice", () => {
  const newYork = TimeZone.load("America/New_York");
  const instant = (month: number, day: number, hour: number, minute: number) =>
    new Date(newYork.instant({ year: 2026, month, day, hour, minute, second: 0 })).toISOString().slice(0, 16);
  assertEquals(instant(3, 8, 2, 30), "2026-03-08T06:30"); // left out: half past one
  assertEquals(instant(11, 1, 1, 30), "2026-11-01T05:30"); // twice: the first
  assertEquals(instant(13, 32, 25, 0), "2027-02-02T06:00"); // parts carry over
  assertEquals(TimeZone.load("Asia/Kolkata").format(Date.UTC(2026, 0, 1)), "2026-01-01T05:30:00+05:30");
  assertEquals(TimeZone.load("America/St_Johns").format(Date.UTC(2026, 0, 1)), "2025-12-31T20:30:00-03:30");
  assertEquals(TimeZone.load("Europe/London").format(Date.UTC(2026, 0, 1)), "2026-01-01T00:00:00Z");
});

Deno.test("TimeZone.hour() and minute() are the local time's, also before 1970 and off whole hours", () => {
  for (const name of ["UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"]) {
    const zone = TimeZone.load(name);
    for (let atMs = Date.UTC(1969, 11, 29); atMs < Date.UTC(1970, 0, 4); atMs += 17 * 61_000 + 1) {
      const { hour, minute } = zone.localTime(atMs);
      assertEquals([zone.hour(atMs), zone.minute(atMs)], [hour, minute], `${name} at ${atMs}`);
    }
  }
});

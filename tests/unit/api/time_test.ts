import { assertEquals, assertThrows } from "@std/assert";
import { formatDuration, formatMicroTime, formatTime, parseDuration, parseTime } from "../../../src/api/mod.ts";

Deno.test("formatTime cuts off what is finer than a second, before 1970 too", () => {
  assertEquals(formatTime(Date.UTC(2026, 0, 1, 0, 0, 0, 999)), "2026-01-01T00:00:00Z");
  assertEquals(formatTime(-1), "1969-12-31T23:59:59Z");
});

Deno.test("formatMicroTime keeps the microseconds of a fractional time", () => {
  assertEquals(formatMicroTime(Date.UTC(2026, 0, 1) + 0.001), "2026-01-01T00:00:00.000001Z");
  assertEquals(formatMicroTime(Date.UTC(2026, 0, 1) + 123.456), "2026-01-01T00:00:00.123456Z");
  assertEquals(formatMicroTime(-0.001), "1969-12-31T23:59:59.999999Z");
});

Deno.test("parseTime reads offsets and cuts off what is finer than a microsecond", () => {
  assertEquals(parseTime("2026-01-01T02:00:00.5+02:00"), Date.UTC(2026, 0, 1) + 500);
  assertEquals(formatMicroTime(parseTime("2026-01-01T00:00:00.999999999Z")), "2026-01-01T00:00:00.999999Z");
  assertEquals(formatTime(parseTime("2026-01-01T00:00:00.999999999Z")), "2026-01-01T00:00:00Z");
  assertEquals(parseTime("0099-01-01T00:00:00Z"), new Date("0099-01-01T00:00:00Z").getTime());
});

Deno.test("parseTime throws for what no calendar and no clock has", () => {
  const cases: Record<string, string> = {
    "2026-13-01T00:00:00Z": "month out of range",
    "2026-02-29T00:00:00Z": "day out of range",
    "2026-04-31T00:00:00Z": "day out of range",
    "2026-01-00T00:00:00Z": "day out of range",
    "2026-01-01T24:00:00Z": "hour out of range",
    "2026-01-01T00:60:00Z": "minute out of range",
    "2026-01-01T00:00:60Z": "second out of range",
  };
  for (const [text, why] of Object.entries(cases)) assertThrows(() => parseTime(text), Error, why);
  assertEquals(parseTime("2028-02-29T23:59:59Z"), Date.UTC(2028, 1, 29, 23, 59, 59));
});

Deno.test("parseTime throws for text after the time", () => {
  assertThrows(() => parseTime("2026-01-01T00:00:00Zx"), Error, 'extra text: "x"');
});

Deno.test("parseDuration throws with Go's words", () => {
  const cases: Record<string, string> = {
    x: 'time: invalid duration "x"',
    "1": 'time: missing unit in duration "1"',
    "1d": 'time: unknown unit "d" in duration "1d"',
    "1toString": 'time: unknown unit "toString" in duration "1toString"',
  };
  for (const [text, message] of Object.entries(cases)) {
    assertEquals(assertThrows(() => parseDuration(text), Error).message, message);
  }
});

Deno.test("parseDuration gives milliseconds, fractions for finer units", () => {
  const cases: Record<string, number> = {
    "5m": 300_000,
    "1.5h": 5_400_000,
    "-1s500ms": -1500,
    "1us": 0.001,
    "1ns": 0.000001,
    "-0": 0,
    "100h": 360_000_000,
  };
  for (const [text, ms] of Object.entries(cases)) assertEquals(parseDuration(text), ms, text);
});

Deno.test("formatDuration prints the units that Go prints", () => {
  const cases: [number, string][] = [
    [0, "0s"],
    [0.000001, "1ns"],
    [0.0015, "1.5µs"],
    [2.5, "2.5ms"],
    [1500, "1.5s"],
    [60_000, "1m0s"],
    [3_600_000, "1h0m0s"],
    [-90_500, "-1m30.5s"],
  ];
  for (const [ms, text] of cases) assertEquals(formatDuration(ms), text);
});

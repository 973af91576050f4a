import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { parseCronSchedule, TimeZone, ZERO_TIME_MS } from "../../src/rules/mod.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A field as text, beside what it means. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** Ranges with steps, single values and stars, joined by commas. */
function field(min: number, max: number): fc.Arbitrary<Field> {
  const piece = fc.tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 7 }), fc.nat(2))
    .map(([a, b, step, form]): Field => {
      const [low, high] = form === 0 ? [min, max] : [Math.min(a, b), form === 1 ? Math.max(a, b) : Math.min(a, b)];
      const values = Array.from({ length: high - low + 1 }, (_, i) => low + i);
      if (form === 2) return { text: `${low}`, values: new Set(values) };
      const text = form === 0 ? "*" : `${low}-${high}`;
      return { text: `${text}/${step}`, values: new Set(values.filter((value) => (value - low) % step === 0)) };
    });
  return fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => ({
    text: pieces.map(({ text }) => text).join(","),
    values: new Set(pieces.flatMap(({ values }) => [...values])),
  }));
}

const isOpen = ({ text }: Field) => text.split(",").includes("*/1");

Deno.test("parseCronSchedule(): the next time is the first minute whose parts the fields name", () => {
  const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
  const start = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2029, 0) });
  fc.assert(
    fc.property(fields, start, ([minute, hour, dayOfMonth, month, dayOfWeek], afterMs) => {
      const text = [minute, hour, dayOfMonth, month, dayOfWeek].map((one) => one.text).join(" ");
      const matches = (atMs: number) => {
        const at = new Date(atMs);
        const [isDay, isWeekday] = [dayOfMonth.values.has(at.getUTCDate()), dayOfWeek.values.has(at.getUTCDay())];
        const isRightDay = isOpen(dayOfMonth) || isOpen(dayOfWeek) ? isDay && isWeekday : isDay || isWeekday;
        return isRightDay && minute.values.has(at.getUTCMinutes()) && hour.values.has(at.getUTCHours()) &&
          month.values.has(at.getUTCMonth() + 1);
      };
      const next = parseCronSchedule(text, TimeZone.UTC).next(afterMs);
      const horizonMs = afterMs + 20 * DAY_MS;
      let expected = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
      while (expected < horizonMs && !matches(expected)) expected += MINUTE_MS;
      if (expected < horizonMs) assertEquals(next, expected, text);
      else if (next !== ZERO_TIME_MS) assertEquals([next >= horizonMs, matches(next)], [true, true], text);
    }),
  );
});

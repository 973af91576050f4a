/**
 * `data/upstream_values.jsonl` holds what upstream's own packages (apimachinery v0.36.3, Go's time) answered for
 * hand-picked and random inputs; every line is one test case.
 */
import { assertEquals, assertThrows } from "@std/assert";
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  type LabelSelector,
  parseDuration,
  parseFieldSelector,
  parseLabelSelector,
  parseTime,
  Quantity,
  scaledValue,
  selectorOf,
} from "../../../src/api/mod.ts";
import { goQuote } from "../../../src/base/mod.ts";

interface Row {
  readonly of: string;
  readonly in: unknown;
  readonly out?: unknown;
  readonly err?: string;
  /** What the selector answered for each of the label sets. */
  readonly m?: readonly boolean[];
  readonly [key: string]: unknown;
}

const text = await Deno.readTextFile(new URL("data/upstream_values.jsonl", import.meta.url));
const rows: Row[] = text.trim().split("\n").map((line) => JSON.parse(line));

function forEachRow(of: string, check: (row: Row, input: string) => void): void {
  const mine = rows.filter((row) => row.of === of);
  if (mine.length === 0) throw new Error(`No rows of ${of}`);
  for (const row of mine) check(row, String(row.in));
}

/** Runs `run`, which must throw exactly the row's error if it has one. */
function expectRow(row: Row, run: () => void): void {
  if (row.err === undefined) return run();
  const error = assertThrows(run, Error);
  assertEquals(error.message, row.err, `for ${JSON.stringify(row.in)}`);
}

const LABEL_SETS: Record<string, string>[] = [
  {},
  { a: "b" },
  { a: "c", b: "1" },
  { a: "5" },
  { in: "in", "x/y": "b" },
  { b: "", a: "in" },
];

Deno.test("Quantity.parse reads, prints and rounds every text as upstream does", () => {
  forEachRow("quantity", (row, input) =>
    expectRow(row, () => {
      const quantity = Quantity.parse(input);
      assertEquals(quantity.toString(), row.out, input);
      assertEquals(quantity.format, row.format, input);
      if (row.value !== undefined) assertEquals(String(quantity.roundedUp()), row.value, input);
      if (row.milli !== undefined) assertEquals(String(quantity.milliRoundedUp()), row.milli, input);
    }));
});

Deno.test("Quantity adds, subtracts and compares as upstream does", () => {
  forEachRow("quantity_sum", ({ a, b, add, sub, cmp }) => {
    const left = Quantity.parse(a as string);
    const right = Quantity.parse(b as string);
    assertEquals(left.add(right).toString(), add, `${a} + ${b}`);
    assertEquals(left.sub(right).toString(), sub, `${a} - ${b}`);
    assertEquals(left.compare(right), cmp, `${a} <=> ${b}`);
  });
});

Deno.test("parseDuration and formatDuration agree with Go, errors included", () => {
  forEachRow("duration", (row, input) =>
    expectRow(row, () => {
      const ms = parseDuration(input);
      // Milliseconds hold every nanosecond only up to 26 days.
      if (Math.abs(ms) > 2 ** 51 / 1e6) return;
      assertEquals(String(Math.round(ms * 1e6)), row.ns, input);
      assertEquals(formatDuration(ms), row.out, input);
    }));
});

Deno.test("scaledValue scales and rounds as upstream does, errors included", () => {
  forEachRow("int_or_string", (row) =>
    expectRow(row, () => {
      const scaled = scaledValue(row.in as string | number, row.total as number, { roundUp: row.up as boolean });
      assertEquals(scaled, row.out, `${row.in} of ${row.total}`);
    }));
});

Deno.test("parseLabelSelector parses, prints and matches as upstream does, errors included", () => {
  forEachRow("label_selector", (row, input) =>
    expectRow(row, () => {
      const selector = parseLabelSelector(input);
      assertEquals(selector.toString(), row.out, input);
      assertEquals(LABEL_SETS.map((labels) => selector.matches(labels)), row.m, input);
    }));
});

Deno.test("selectorOf parses, prints and matches an object's selector as upstream does, errors included", () => {
  forEachRow("meta_selector", (row) =>
    expectRow(row, () => {
      const selector = selectorOf(row.in as LabelSelector);
      assertEquals(selector.toString(), row.out);
      assertEquals(LABEL_SETS.map((labels) => selector.matches({ z: "1", ...labels })), row.m);
    }));
});

Deno.test("parseFieldSelector parses, prints and matches as upstream does, errors included", () => {
  const fieldSets: Record<string, string>[] = [{}, { a: "b" }, { a: "", "b.c": "a" }];
  forEachRow("field_selector", (row, input) =>
    expectRow(row, () => {
      const selector = parseFieldSelector(input);
      assertEquals(selector.toString(), row.out, input);
      assertEquals(fieldSets.map((fields) => selector.matches((path) => fields[path] ?? "")), row.m, input);
    }));
});

Deno.test("goQuote quotes as Go's %q does", () => {
  forEachRow("quote", (row, input) => assertEquals(goQuote(input), row.out));
});

Deno.test("parseTime, formatTime and formatMicroTime agree with Go, errors included", () => {
  forEachRow("time", (row, input) =>
    expectRow(row, () => {
      const ms = parseTime(input);
      assertEquals(String(Math.floor(ms)), row.ns, input);
      assertEquals(formatTime(ms), row.out, input);
      assertEquals(formatMicroTime(ms), row.micro, input);
    }));
});

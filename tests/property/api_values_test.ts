import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import { canonicalJson, goQuote } from "../../src/base/mod.ts";
import {
  compareResourceVersions,
  formatDuration,
  formatMicroTime,
  formatTime,
  joinKey,
  parseDuration,
  parseTime,
  scaledValue,
  splitKey,
} from "../../src/api/mod.ts";
import { readJson } from "./read_json.ts";

/** Nanoseconds that survive being milliseconds in between, with a bit to spare for two roundings: 26 days. */
const LIMIT_NS = 2 ** 51;

Deno.test("parseDuration: what formatDuration prints is the same duration", () => {
  fc.assert(fc.property(fc.integer({ min: -LIMIT_NS, max: LIMIT_NS }), (ns) => {
    assertEquals(Math.round(parseDuration(formatDuration(ns / 1e6)) * 1e6), ns + 0);
  }));
});

Deno.test("parseDuration: the parts of a duration add up", () => {
  const part = fc.tuple(fc.nat({ max: 999 }), fc.constantFrom(["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]));
  fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
    const text = parts.map(([n, [unit]]) => `${n}${unit}`).join("");
    assertEquals(parseDuration(text), parts.reduce((sum, [n, [, ms]]) => sum + n * Number(ms), 0));
  }));
});

Deno.test("parseTime: what formatTime and formatMicroTime print is the same time", () => {
  // From 2^42 milliseconds on (the year 2109) a double cannot tell neighbouring microseconds apart.
  const micros = fc.integer({ min: 0, max: 2 ** 42 * 1000 });
  fc.assert(fc.property(micros, (us) => {
    assertEquals(Math.round(parseTime(formatMicroTime(us / 1000)) * 1000), us);
    assertEquals(parseTime(formatTime(us / 1000)), Math.floor(us / 1e6) * 1000);
  }));
});

Deno.test("canonicalJson: it parses to the same value", () => {
  fc.assert(fc.property(fc.jsonValue({ depthSize: "small", stringUnit: "grapheme" }), (value) => {
    const clean = readJson(JSON.stringify(value));
    assertEquals(readJson(canonicalJson(clean)), clean);
  }));
});

Deno.test("goQuote: printable ASCII reads back as a JavaScript string", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
    assertEquals(JSON.parse(goQuote(text)), text);
  }));
});

Deno.test("splitKey: it undoes joinKey", () => {
  const part = fc.stringMatching(/^[a-z0-9.-]{1,9}$/);
  fc.assert(fc.property(fc.option(part, { nil: "" }), part, (namespace, name) => {
    assertEquals(splitKey(joinKey(namespace, name)), { namespace, name });
  }));
});

Deno.test("compareResourceVersions: it orders as numbers of any size", () => {
  const version = fc.bigInt({ min: 1n, max: 10n ** 30n });
  fc.assert(fc.property(version, version, (a, b) => {
    assertEquals(compareResourceVersions(String(a), String(b)), a < b ? -1 : a > b ? 1 : 0);
  }));
});

Deno.test("scaledValue: rounding up and down differ by one exactly where there is a fraction", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 200 }), fc.nat({ max: 5000 }), (percent, total) => {
    const [up, down] = [true, false].map((roundUp) => scaledValue(`${percent}%`, total, { roundUp }));
    assertEquals(up - down, percent * total % 100 === 0 ? 0 : 1);
    assertEquals(down, Math.floor(percent * total / 100));
  }));
});

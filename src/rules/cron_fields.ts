import { goQuote, parseInt64 } from "../base/mod.ts";

/** The values that one field of a schedule matches. */
export interface CronField {
  has(value: number): boolean;
  /** Whether it was written as a star, so that the other day field decides. */
  readonly isOpen: boolean;
  /** Whether it matches nothing, because it was written as commas only. */
  readonly isEmpty: boolean;
}

/** The fields of a schedule. Sunday is 0. */
export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const BOUNDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/**
 * Reads the five fields of a schedule: minute, hour, day of the month, month, day of the week.
 * Upstream: `github.com/robfig/cron` (Parser.Parse).
 *
 * @throws {Error} With upstream's message.
 */
export function parseCronFields(text: string): CronFields {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== BOUNDS.length) {
    throw new Error(`expected exactly ${BOUNDS.length} fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts.map((part, i) => parseField(part, BOUNDS[i]));
  return { minute, hour, dayOfMonth, month, dayOfWeek };
}

function parseField(text: string, bounds: Bounds): CronField {
  const isNamed = new Uint8Array(bounds.max + 1);
  let isOpen = false;
  for (const piece of text.split(",")) {
    if (piece === "") continue;
    const range = parseRange(piece, bounds);
    for (let value = range.start; value <= range.end; value += range.step) isNamed[value] = 1;
    isOpen ||= range.isOpen;
  }
  return { has: (value) => isNamed[value] === 1, isOpen, isEmpty: !isNamed.includes(1) };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isOpen: boolean;
}

function parseRange(text: string, bounds: Bounds): Range {
  const { min, max } = bounds;
  const [range, every, ...more] = text.split("/");
  const [low, high, ...rest] = range.split("-");
  const isStar = low === "*" || low === "?";
  let [start, end] = [min, max];
  if (!isStar) {
    start = end = parseValue(low, bounds);
    if (rest.length > 0) throw new Error(`too many hyphens: ${text}`);
    if (high !== undefined) end = parseValue(high, bounds);
  }
  if (more.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = every === undefined ? 1 : parseNumber(every);
  if (every !== undefined && high === undefined) end = max;
  if (start < min) throw new Error(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new Error(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
  return { start, end, step, isOpen: isStar && step === 1 };
}

function parseValue(text: string, { names = [] }: Bounds): number {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  return named >= 0 ? named : parseNumber(text);
}

function parseNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const fail = (why: string) =>
    new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`);
  if (!/^[-+]?\d+$/.test(text)) throw fail("invalid syntax");
  const value = parseInt64(text);
  if (value === undefined) throw fail("value out of range");
  if (value < 0n) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}

import { stringEnd } from "./json_depth.ts";
import { rawNumber } from "./json_numbers.ts";

/** A value being walked: the parsed one, or `undefined` if a later equal key replaced it. */
interface Level {
  readonly value: Record<string | number, unknown> | undefined;
  readonly isArray: boolean;
  key: string | number;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Shorter integers are exact as doubles. */
const MANY_DIGITS = 16;

/**
 * Whether an integer that a double may not hold exactly stands in the JSON `text`; digits in a string are taken for one,
 * if they follow a comma or the like. Only every sixteenth character is looked at: so many digits cover one of them.
 */
export function mayHoldBigInteger(text: string): boolean {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    const end = integerEnd(text, at);
    if (end - start >= MANY_DIGITS && mayBeginNumber(text, start)) return true;
    at = end - 1 - (end - 1 - at) % MANY_DIGITS; // so that no digit is read again and again
  }
  return false;
}

/**
 * Restores integers that a double cannot represent in `value`, the result of `JSON.parse(text)`, as raw numbers. Walks
 * over text and value side by side. (A reviver of `JSON.parse` could do the same, but recursively.)
 */
export function withBigIntegers(text: string, value: unknown): unknown {
  const root = { "": value };
  const outer: Level[] = [];
  let level: Level = { value: root, isArray: false, key: "" };
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at);
      if (expectsKey) level.key = keyOf(text, at, end);
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      outer.push(level);
      level = { value: below(level), isArray: code === OPEN_BRACKET, key: 0 };
      expectsKey = !level.isArray;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      level = outer.pop()!;
    } else if (code === COMMA) {
      expectsKey = !level.isArray;
      if (level.isArray) (level.key as number)++;
    } else if (code === COLON) {
      expectsKey = false;
    } else if (code === MINUS || isDigit(code)) {
      const end = integerEnd(text, at);
      const isInteger = !isInNumber(text.charCodeAt(end));
      if (isInteger && end - at >= MANY_DIGITS) putBack(level, text.slice(at, end));
      at = end - 1;
      while (isInNumber(text.charCodeAt(at + 1))) at++;
    }
  }
  return root[""];
}

function keyOf(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end);
  return key.includes("\\") ? JSON.parse(text.slice(start, end + 1)) : key;
}

function integerEnd(text: string, at: number): number {
  do at++; while (isDigit(text.charCodeAt(at)));
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether what stands before the digits from `start` on can stand before a number. */
function mayBeginNumber(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1) === MINUS ? start - 2 : start - 1;
  const code = text.charCodeAt(before);
  return before < 0 || code <= SPACE || code === COLON || code === COMMA || code === OPEN_BRACKET;
}

/** Whether it is part of a number, including its fraction and exponent. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === LOWER_E || code === UPPER_E || code === PLUS || code === MINUS;
}

/** The object or array at the level's key. */
function below({ value, key }: Level): Level["value"] {
  if (!value || !Object.hasOwn(value, key)) return undefined;
  const found = value[key];
  return typeof found === "object" && found !== null ? found as Level["value"] : undefined;
}

/** The last of equal keys wins, so the present value must be what `number` was parsed as. */
function putBack({ value, key }: Level, number: string): void {
  const double = Number(number);
  if (Number.isSafeInteger(double) || !value || value[key] !== double) return; // inherited properties are never numbers
  if (key === "__proto__") Object.defineProperty(value, key, { value: rawNumber(number) }); // assigned, it would be lost
  else value[key] = rawNumber(number);
}

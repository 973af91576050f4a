import { stringEnd } from "./json_depth.ts";
import { rawNumber } from "./json_numbers.ts";

/** A value that is being walked: the parsed one, `undefined` where an equal key further on has replaced it. */
interface Level {
  readonly value: Record<string | number, unknown> | undefined;
  readonly isArray: boolean;
  key: string | number;
}

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

/** An integer of fewer characters is exact as a double. */
const MANY_DIGITS = 16;

/**
 * Puts back into `value`, which `JSON.parse` made of `text`, the integers that a double does not hold, as raw numbers. It
 * walks over the text and the value side by side. (A reviver of `JSON.parse` does the same, but by recursion.)
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

/** Whether it is a part of a number, of its fraction or exponent too. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === LOWER_E || code === UPPER_E || code === PLUS || code === MINUS;
}

/** The object or array at the level's key. */
function below({ value, key }: Level): Level["value"] {
  if (!value || !Object.hasOwn(value, key)) return undefined;
  const found = value[key];
  return typeof found === "object" && found !== null ? found as Level["value"] : undefined;
}

/** Of equal keys the last one holds: what stands there must be what `number` was read as. */
function putBack({ value, key }: Level, number: string): void {
  const double = Number(number);
  if (Number.isSafeInteger(double) || !value || value[key] !== double) return; // nothing that is inherited is a number
  if (key === "__proto__") Object.defineProperty(value, key, { value: rawNumber(number) }); // assigned, it would be lost
  else value[key] = rawNumber(number);
}

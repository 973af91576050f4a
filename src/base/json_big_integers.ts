import { stringEnd } from "./json_depth.ts";
import { rawNumber } from "./json_numbers.ts";

/** A value that is being walked: the parsed one, `undefined` where an equal key further on has replaced it. */
interface Level {
  readonly value: Record<string | number, unknown> | undefined;
  readonly isArray: boolean;
  key: string | number;
}

const SIGNIFICANT_DIGITS = 16;

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
    const character = text[at];
    if (character === '"') {
      const end = stringEnd(text, at);
      if (expectsKey) level.key = keyOf(text, at, end);
      at = end;
    } else if (character === "{" || character === "[") {
      outer.push(level);
      level = { value: below(level), isArray: character === "[", key: 0 };
      expectsKey = !level.isArray;
    } else if (character === "}" || character === "]") {
      level = outer.pop()!;
    } else if (character === ",") {
      expectsKey = !level.isArray;
      if (level.isArray) (level.key as number)++;
    } else if (character === ":") {
      expectsKey = false;
    } else if (character === "-" || isDigit(character)) {
      const end = numberEnd(text, at);
      if (end - at >= SIGNIFICANT_DIGITS) putBack(level, text.slice(at, end));
      at = end - 1;
    }
  }
  return root[""];
}

function keyOf(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end);
  return key.includes("\\") ? JSON.parse(text.slice(start, end + 1)) : key;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function numberEnd(text: string, at: number): number {
  while (++at < text.length && (isDigit(text[at]) || ".eE+-".includes(text[at])));
  return at;
}

/** The object or array at the level's key. */
function below({ value, key }: Level): Level["value"] {
  if (!value || !Object.hasOwn(value, key)) return undefined;
  const found = value[key];
  return typeof found === "object" && found !== null ? found as Level["value"] : undefined;
}

/** Of equal keys the last one holds: what stands there must be what `number` was read as. */
function putBack({ value, key }: Level, number: string): void {
  if (!/^-?\d+$/.test(number) || !value || !Object.hasOwn(value, key)) return;
  const double = Number(number);
  if (Number.isSafeInteger(double) || value[key] !== double) return;
  Object.defineProperty(value, key, { value: rawNumber(number) }); // `__proto__` too
}

import { PatternError } from "./pattern_error.ts";

/** Named classes in brackets, with their members in JavaScript's syntax. */
const NAMED: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** Go's `\s` lacks the vertical tab and only knows ASCII. */
const SPACE = "\\t\\n\\f\\r ";

const NAMED_CLASS = /^\[:(\^?)(\w+):\]/;
const ESCAPE =
  /^\\(?:[pP]\{(\^?)(\w+)\}|[pP](\w)|x\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([^]))/u;

/** A set of characters at the start of a pattern. */
export interface Characters {
  readonly text: string;
  /** Its meaning in JavaScript's syntax (flag `v`), valid inside and outside brackets. */
  readonly meaning: string;
  /** Whether it is a single character, which may begin or end a range. */
  readonly isOne: boolean;
}

function escapeAt(pattern: string): Characters {
  const match = ESCAPE.exec(pattern);
  if (!match) throw new PatternError("trailing backslash", pattern);
  const [text, negation = "", property, letter, longHex, hex, octal, char] = match;
  const name = property ?? letter;
  if (name !== undefined) {
    const isNegated = (text[1] === "P") !== (negation !== "");
    const what = /^(?:Any|[A-Z][a-z]?)$/.test(name) ? name : `Script=${name}`;
    return { text, meaning: `\\${isNegated ? "P" : "p"}{${what}}`, isOne: false };
  }
  if (longHex ?? hex) return { text, meaning: `\\u{${longHex ?? hex}}`, isOne: true };
  if (octal) return { text, meaning: `\\u{${parseInt(octal, 8).toString(16)}}`, isOne: true };
  if (/[dDwW]/.test(char)) return { text, meaning: text, isOne: false };
  if (char === "s" || char === "S") return { text, meaning: `[${char === "S" ? "^" : ""}${SPACE}]`, isOne: false };
  if (/[fnrtv]/.test(char)) return { text, meaning: text, isOne: true };
  if (char !== "a" && !/[!-/:-@[-`{-~]/.test(char)) throw new PatternError("invalid escape sequence", text);
  return { text, meaning: char === "a" ? "\\x07" : literal(char), isOne: true };
}

/** A character that stands for itself everywhere. */
export function literal(char: string): string {
  return /[!-/:-@[-`{-~]/.test(char) ? `\\x${char.charCodeAt(0).toString(16)}` : char;
}

/** The escape or character at the start of a pattern, inside or outside brackets. */
export function characterAt(pattern: string): Characters {
  if (pattern.startsWith("\\")) return escapeAt(pattern);
  const text = String.fromCodePoint(pattern.codePointAt(0)!);
  return { text, meaning: literal(text), isOne: true };
}

/** The bracket expression at the start of a pattern. */
export function classAt(pattern: string): Characters {
  const start = pattern.startsWith("[^") ? "[^" : "[";
  let [at, meaning] = [start.length, start];
  while (at === start.length || pattern[at] !== "]") {
    if (at >= pattern.length) throw new PatternError("missing closing ]", pattern);
    const part = namedClassAt(pattern.slice(at)) ?? rangeAt(pattern.slice(at));
    meaning += part.meaning;
    at += part.text.length;
  }
  return { text: pattern.slice(0, at + 1), meaning: `${meaning}]`, isOne: false };
}

function namedClassAt(pattern: string): Characters | undefined {
  const [text, negation, name] = NAMED_CLASS.exec(pattern) ?? [];
  if (text === undefined) return undefined;
  if (!NAMED[name]) throw new PatternError("invalid character class range", text);
  return { text, meaning: `[${negation}${NAMED[name]}]`, isOne: false };
}

function rangeAt(pattern: string): Characters {
  const low = characterAt(pattern);
  const rest = pattern.slice(low.text.length);
  if (!low.isOne || !/^-[^\]]/.test(rest)) return low;
  const high = characterAt(rest.slice(1));
  const text = `${low.text}-${high.text}`;
  if (!high.isOne) throw new PatternError("invalid character class range", text);
  return { text, meaning: `${low.meaning}-${high.meaning}`, isOne: false };
}

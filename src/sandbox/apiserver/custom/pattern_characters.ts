import { namedClass, perlClass, unicodeClass } from "./pattern_classes.ts";
import { PatternError } from "./pattern_error.ts";
import type { PatternText } from "./pattern_text.ts";

const ESCAPED_LETTERS: Readonly<Record<string, string>> = {
  a: "\\x07",
  f: "\\f",
  n: "\\n",
  r: "\\r",
  t: "\\t",
  v: "\\v",
};
const SPECIAL = /[\\^$.*+?()[\]{}|/]/;
const HEX_LONG = /^\\x\{([0-9A-Fa-f]{1,6})\}/;
const HEX_SHORT = /^\\x([0-9A-Fa-f]{2})/;
const OCTAL = /^\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/;

/** One character, or what stands for several, as JavaScript has it. */
export interface Characters {
  readonly text: string;
  /** What is to stand in brackets. */
  readonly isClass: boolean;
}

/** A character that stands for itself, in and outside of brackets. */
export function asLiteral(char: string): string {
  if (char === "-") return "\\x2d";
  return SPECIAL.test(char) ? `\\${char}` : char;
}

/** Reads an escape that stands for one character or a class; also inside brackets. */
export function readEscape(pattern: PatternText): Characters {
  if (pattern.rest.length < 2) throw new PatternError("trailing backslash at end of expression", "");
  const letter = String.fromCodePoint(pattern.rest.codePointAt(1)!);
  const perl = perlClass(letter);
  if (perl !== undefined) {
    pattern.take(2);
    return { text: perl, isClass: true };
  }
  if (letter === "p" || letter === "P") return { text: unicodeRange(pattern, letter), isClass: true };
  const code = escapedCode(pattern);
  if (code !== undefined) return { text: `\\u{${code.toString(16)}}`, isClass: false };
  const known = ESCAPED_LETTERS[letter];
  if (known === undefined && !/^[!-/:-@[-`{-~]$/.test(letter)) {
    throw new PatternError("invalid escape sequence", `\\${letter}`);
  }
  pattern.take(1 + letter.length);
  return { text: known ?? asLiteral(letter), isClass: false };
}

function escapedCode(pattern: PatternText): number | undefined {
  const hex = HEX_LONG.exec(pattern.rest) ?? HEX_SHORT.exec(pattern.rest);
  if (hex && parseInt(hex[1], 16) <= 0x10ffff) {
    pattern.take(hex[0].length);
    return parseInt(hex[1], 16);
  }
  const octal = OCTAL.exec(pattern.rest);
  return octal ? parseInt(pattern.take(octal[0].length).slice(1), 8) : undefined;
}

function unicodeRange(pattern: PatternText, letter: string): string {
  const match = /^\\[pP](?:\{(\^?\w+)\}|(\w))/.exec(pattern.rest);
  const range = match ? match[0] : pattern.rest.slice(0, 2);
  const found = match && unicodeClass(letter, match[1] ?? match[2]);
  if (!found) throw new PatternError("invalid character class range", range);
  pattern.take(range.length);
  return found;
}

/** Reads characters in brackets. */
export function readClass(pattern: PatternText): string {
  const start = pattern.rest;
  pattern.take(1);
  let out = pattern.rest.startsWith("^") ? `[${pattern.take(1)}` : "[";
  for (let isFirst = true; isFirst || !pattern.rest.startsWith("]"); isFirst = false) {
    if (pattern.rest === "") throw new PatternError("missing closing ]", start);
    const named = /^\[:(\^?\w+):\]/.exec(pattern.rest);
    if (!named) {
      out += classRange(pattern);
      continue;
    }
    const ranges = namedClass(named[1]);
    if (ranges === undefined) throw new PatternError("invalid character class range", named[0]);
    out += ranges;
    pattern.take(named[0].length);
  }
  pattern.take(1);
  return `${out}]`;
}

function classRange(pattern: PatternText): string {
  const before = pattern.rest;
  const low = classCharacter(pattern);
  if (low.isClass || !/^-[^\]]/.test(pattern.rest)) return low.text;
  pattern.take(1);
  const [perl] = /^\\[dDsSwWpP]/.exec(pattern.rest) ?? [];
  if (perl !== undefined) throw new PatternError("invalid escape sequence", perl);
  const high = classCharacter(pattern);
  const range = `${low.text}-${high.text}`;
  try {
    new RegExp(`[${range}]`, "u");
    return range;
  } catch {
    throw new PatternError("invalid character class range", before.slice(0, before.length - pattern.rest.length));
  }
}

function classCharacter(pattern: PatternText): Characters {
  if (pattern.rest.startsWith("\\")) return readEscape(pattern);
  const char = pattern.take(String.fromCodePoint(pattern.rest.codePointAt(0)!).length);
  return { text: asLiteral(char), isClass: false };
}

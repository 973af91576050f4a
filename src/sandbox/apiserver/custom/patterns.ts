import { namedClass, perlClass, unicodeClass } from "./pattern_classes.ts";

/** A pattern that Go would not compile; the message is what Go says. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``);
  }
}

const MOST_REPEATS = 1000;
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

/** A character that stands for itself, in and outside of brackets. */
function asLiteral(char: string): string {
  if (char === "-") return "\\x2d";
  return SPECIAL.test(char) ? `\\${char}` : char;
}

/** What flags are on: `i` for any case, `m` for lines, `s` for a dot that matches everything. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

interface Group {
  /** In effect again after the group. */
  readonly outer: Flags;
}

/**
 * Translates a regular expression of Go's (RE2) into one of JavaScript's that matches the same texts. Groups are not captured.
 *
 * Not the same: JavaScript backtracks, so that a pattern like `(a+)+$` can take very long for a text that it does not match.
 * Upstream: `regexp/syntax`.
 */
class Translation {
  readonly #source: string;
  readonly #groups: Group[] = [];
  #rest: string;
  #out = "";
  #flags: Flags = { i: false, m: false, s: false };
  /** Whether there is something that a repetition could repeat, and where the last repetition began. */
  #repeatable = false;
  #lastRepeat: string | undefined;

  constructor(source: string) {
    this.#source = source;
    this.#rest = source;
  }

  run(): string {
    while (this.#rest !== "") this.#step();
    if (this.#groups.length > 0) throw new PatternError("missing closing )", this.#source);
    return this.#out;
  }

  #step(): void {
    const char = String.fromCodePoint(this.#rest.codePointAt(0)!);
    switch (char) {
      case "(":
        return this.#open();
      case ")":
        return this.#close();
      case "|":
        this.#take(1);
        return this.#emit("|", false);
      case "[":
        return this.#emit(this.#class(), true);
      case "*":
      case "+":
      case "?":
        return this.#repeat(char);
      case "{": {
        const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.#rest);
        if (counted) return this.#repeatCounted(counted);
        break;
      }
      case "\\":
        return this.#escape();
      case "^":
      case "$":
      case ".":
        this.#take(1);
        return this.#emit(this.#anchorOrDot(char), true);
    }
    this.#take(char.length);
    this.#emit(this.#literal(char), true);
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  #emit(text: string, repeatable: boolean): void {
    this.#out += text;
    this.#repeatable = repeatable;
    this.#lastRepeat = undefined;
  }

  #anchorOrDot(char: string): string {
    const { m, s } = this.#flags;
    if (char === ".") return s ? "[\\x00-\\u{10ffff}]" : "[^\\n]";
    if (char === "^") return m ? "(?:(?<![^\\n]))" : "(?:^)";
    return m ? "(?:(?![^\\n]))" : "(?:$)";
  }

  #literal(char: string): string {
    return this.#cased(asLiteral(char));
  }

  /** Where case does not matter, a letter is matched so; unlike JavaScript's flag, this can begin in the middle of a pattern. */
  #cased(text: string): string {
    return this.#flags.i ? `(?i:${text})` : text;
  }

  #open(): void {
    if (!this.#rest.startsWith("(?")) {
      this.#take(1);
      return this.#push(this.#flags);
    }
    if (/^\(\?P?</.test(this.#rest)) {
      const [text, name] = /^\(\?P?<([^>]*)>/.exec(this.#rest) ?? [this.#rest, ""];
      if (!/^\w+$/.test(name)) throw new PatternError("invalid named capture", text);
      this.#take(text.length);
      return this.#push(this.#flags);
    }
    const flagged = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(this.#rest);
    if (!flagged) {
      throw new PatternError("invalid or unsupported Perl syntax", /^\(\?[imsU-]*.?/s.exec(this.#rest)![0]);
    }
    const [text, on, off = "", end] = flagged;
    const is = (flag: keyof Flags) => (this.#flags[flag] || on.includes(flag)) && !off.includes(flag);
    const flags = { i: is("i"), m: is("m"), s: is("s") };
    this.#take(text.length);
    if (end === ":") return this.#push(flags);
    this.#flags = flags;
  }

  #push(inner: Flags): void {
    this.#groups.push({ outer: this.#flags });
    this.#flags = inner;
    this.#emit("(?:", false);
  }

  #close(): void {
    const group = this.#groups.pop();
    if (!group) throw new PatternError("unexpected )", this.#source);
    this.#take(1);
    this.#flags = group.outer;
    this.#emit(")", true);
  }

  #repeat(operator: string): void {
    this.#checkRepeat(operator);
    this.#take(1);
    this.#emitRepeat(operator);
  }

  #repeatCounted([text, least, comma, most]: RegExpExecArray): void {
    const counts = [Number(least), most ? Number(most) : comma ? 0 : Number(least)];
    const isWrong = counts.some((count) => count > MOST_REPEATS) ||
      (most !== undefined && most !== "" && counts[1] < counts[0]);
    if (isWrong) throw new PatternError("invalid repeat count", text);
    this.#checkRepeat(text);
    this.#take(text.length);
    this.#emitRepeat(text);
  }

  #checkRepeat(operator: string): void {
    if (this.#lastRepeat !== undefined) {
      throw new PatternError("invalid nested repetition operator", this.#lastRepeat + operator);
    }
    if (!this.#repeatable) throw new PatternError("missing argument to repetition operator", operator);
  }

  #emitRepeat(operator: string): void {
    const lazy = this.#rest.startsWith("?") ? this.#take(1) : "";
    this.#out += operator + lazy;
    this.#repeatable = true;
    this.#lastRepeat = operator + lazy;
  }

  #escape(): void {
    if (this.#rest.startsWith("\\Q")) {
      const [literal] = this.#rest.slice(2).split("\\E", 1);
      this.#take(literal.length + 2);
      if (this.#rest.startsWith("\\E")) this.#take(2);
      for (const char of literal) this.#emit(this.#literal(char), true);
      return;
    }
    const letter = this.#rest[1];
    const fixed: Readonly<Record<string, string>> = {
      A: "(?:^)",
      z: "(?:$)",
      b: "(?:\\b)",
      B: "(?:\\B)",
    };
    if (fixed[letter]) {
      this.#take(2);
      return this.#emit(fixed[letter], true);
    }
    const { text, isClass } = this.#escaped();
    this.#emit(this.#cased(isClass ? `[${text}]` : text), true);
  }

  /** An escape that stands for one character or a class; also inside brackets. */
  #escaped(): { readonly text: string; readonly isClass: boolean } {
    if (this.#rest.length < 2) throw new PatternError("trailing backslash at end of expression", "");
    const letter = String.fromCodePoint(this.#rest.codePointAt(1)!);
    const perl = perlClass(letter);
    if (perl !== undefined) {
      this.#take(2);
      return { text: perl, isClass: true };
    }
    if (letter === "p" || letter === "P") return { text: this.#unicode(letter), isClass: true };
    const code = this.#escapedCode();
    if (code !== undefined) return { text: `\\u{${code.toString(16)}}`, isClass: false };
    const known = ESCAPED_LETTERS[letter];
    if (known === undefined && !/^[!-/:-@[-`{-~]$/.test(letter)) {
      throw new PatternError("invalid escape sequence", `\\${letter}`);
    }
    this.#take(1 + letter.length);
    return { text: known ?? asLiteral(letter), isClass: false };
  }

  #escapedCode(): number | undefined {
    const hex = HEX_LONG.exec(this.#rest) ?? HEX_SHORT.exec(this.#rest);
    if (hex && parseInt(hex[1], 16) <= 0x10ffff) {
      this.#take(hex[0].length);
      return parseInt(hex[1], 16);
    }
    const octal = OCTAL.exec(this.#rest);
    return octal ? parseInt(this.#take(octal[0].length).slice(1), 8) : undefined;
  }

  #unicode(letter: string): string {
    const match = /^\\[pP](?:\{(\^?\w+)\}|(\w))/.exec(this.#rest);
    const range = match ? match[0] : this.#rest.slice(0, 2);
    const found = match && unicodeClass(letter, match[1] ?? match[2]);
    if (!found) throw new PatternError("invalid character class range", range);
    this.#take(range.length);
    return found;
  }

  #class(): string {
    const start = this.#rest;
    this.#take(1);
    let out = this.#rest.startsWith("^") ? `[${this.#take(1)}` : "[";
    for (let isFirst = true; isFirst || !this.#rest.startsWith("]"); isFirst = false) {
      if (this.#rest === "") throw new PatternError("missing closing ]", start);
      const named = /^\[:(\^?\w+):\]/.exec(this.#rest);
      if (!named) {
        out += this.#classRange();
        continue;
      }
      const ranges = namedClass(named[1]);
      if (ranges === undefined) throw new PatternError("invalid character class range", named[0]);
      out += ranges;
      this.#take(named[0].length);
    }
    this.#take(1);
    return this.#cased(`${out}]`);
  }

  #classRange(): string {
    const before = this.#rest;
    const low = this.#classCharacter();
    if (low.isClass || !/^-[^\]]/.test(this.#rest)) return low.text;
    this.#take(1);
    const [perl] = /^\\[dDsSwWpP]/.exec(this.#rest) ?? [];
    if (perl !== undefined) throw new PatternError("invalid escape sequence", perl);
    const high = this.#classCharacter();
    const range = `${low.text}-${high.text}`;
    try {
      new RegExp(`[${range}]`, "u");
      return range;
    } catch {
      throw new PatternError("invalid character class range", before.slice(0, before.length - this.#rest.length));
    }
  }

  #classCharacter(): { readonly text: string; readonly isClass: boolean } {
    if (this.#rest.startsWith("\\")) return this.#escaped();
    const char = this.#take(String.fromCodePoint(this.#rest.codePointAt(0)!).length);
    return { text: asLiteral(char), isClass: false };
  }
}

/**
 * The pattern of a schema as JavaScript runs it.
 *
 * @throws {PatternError} If Go would not compile it.
 *
 * @example
 * ```ts
 * import { compilePattern } from "./patterns.ts";
 * import { assert } from "@std/assert";
 *
 * assert(compilePattern("(?i)^[[:alpha:]]+\\z").test("Abc"));
 * ```
 */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(new Translation(pattern).run(), "u");
}

import { asLiteral, readClass, readEscape } from "./pattern_characters.ts";
import { PatternError } from "./pattern_error.ts";
import { type Assertion, type PatternPart, PatternProgram } from "./pattern_program.ts";
import { PatternText } from "./pattern_text.ts";

const MOST_REPEATS = 1000;
/** Groups within groups. */
const DEEPEST = 1000;

const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const atBoundary: Assertion = (characters, at) => isWord(characters[at - 1]) !== isWord(characters[at]);
const atStart: Assertion = (_, at) => at === 0;
const atEnd: Assertion = ({ length }, at) => at === length;
const atLineStart: Assertion = (characters, at) => at === 0 || characters[at - 1] === "\n";
const atLineEnd: Assertion = (characters, at) => at === characters.length || characters[at] === "\n";

/** What flags are on: `i` for any case, `m` for lines, `s` for a dot that matches everything. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

interface Group {
  /** In effect again after the group. */
  readonly outer: Flags;
  readonly alternatives: PatternPart[][];
}

/**
 * Reads a regular expression of Go's (RE2). Groups are not captured; what a single character may be is left to JavaScript.
 * Upstream: `regexp/syntax`.
 */
class Parser {
  readonly #pattern: PatternText;
  readonly #groups: Group[] = [];
  #alternatives: PatternPart[][] = [[]];
  readonly #characters = new Map<string, RegExp>();
  #flags: Flags = { i: false, m: false, s: false };
  /** Whether there is something that a repetition could repeat, and where the last repetition began. */
  #repeatable = false;
  #lastRepeat: string | undefined;

  constructor(source: string) {
    this.#pattern = new PatternText(source);
  }

  run(): PatternProgram {
    while (this.#pattern.rest !== "") this.#step();
    if (this.#groups.length > 0) throw new PatternError("missing closing )", this.#pattern.source);
    return new PatternProgram(this.#alternatives, this.#pattern.source);
  }

  #step(): void {
    const char = String.fromCodePoint(this.#pattern.rest.codePointAt(0)!);
    switch (char) {
      case "(":
        return this.#open();
      case ")":
        return this.#close();
      case "|":
        this.#pattern.take(1);
        this.#alternatives.push([]);
        return this.#begin();
      case "[":
        return this.#character(readClass(this.#pattern));
      case "*":
      case "+":
      case "?":
        return this.#repeat(char);
      case "{": {
        const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.rest);
        if (counted) return this.#repeatCounted(counted);
        break;
      }
      case "\\":
        return this.#escape();
      case "^":
      case "$":
      case ".":
        this.#pattern.take(1);
        return this.#anchorOrDot(char);
    }
    this.#pattern.take(char.length);
    this.#character(asLiteral(char));
  }

  #begin(): void {
    this.#repeatable = false;
    this.#lastRepeat = undefined;
  }

  #add(part: PatternPart): void {
    this.#alternatives.at(-1)!.push(part);
    this.#repeatable = true;
    this.#lastRepeat = undefined;
  }

  #character(text: string): void {
    const flags = this.#flags.i ? "iu" : "u";
    const key = flags + text;
    let fits = this.#characters.get(key);
    if (!fits) this.#characters.set(key, fits = new RegExp(`^${text}$`, flags));
    this.#add({ kind: "character", fits });
  }

  #assert(holds: Assertion): void {
    this.#add({ kind: "assertion", holds });
  }

  #anchorOrDot(char: string): void {
    const { m, s } = this.#flags;
    if (char === ".") return this.#character(s ? "[\\x00-\\u{10ffff}]" : "[^\\n]");
    if (char === "^") return this.#assert(m ? atLineStart : atStart);
    return this.#assert(m ? atLineEnd : atEnd);
  }

  #open(): void {
    if (!this.#pattern.rest.startsWith("(?")) {
      this.#pattern.take(1);
      return this.#push(this.#flags);
    }
    if (/^\(\?P?</.test(this.#pattern.rest)) {
      const [text, name] = /^\(\?P?<([^>]*)>/.exec(this.#pattern.rest) ?? [this.#pattern.rest, ""];
      if (!/^\w+$/.test(name)) throw new PatternError("invalid named capture", text);
      this.#pattern.take(text.length);
      return this.#push(this.#flags);
    }
    const flagged = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(this.#pattern.rest);
    if (!flagged) {
      throw new PatternError("invalid or unsupported Perl syntax", /^\(\?[imsU-]*.?/s.exec(this.#pattern.rest)![0]);
    }
    const [text, on, off = "", end] = flagged;
    const is = (flag: keyof Flags) => (this.#flags[flag] || on.includes(flag)) && !off.includes(flag);
    const flags = { i: is("i"), m: is("m"), s: is("s") };
    this.#pattern.take(text.length);
    if (end === ":") return this.#push(flags);
    this.#flags = flags;
  }

  #push(inner: Flags): void {
    if (this.#groups.length === DEEPEST) {
      throw new PatternError("expression nests too deeply", this.#pattern.source);
    }
    this.#groups.push({ outer: this.#flags, alternatives: this.#alternatives });
    this.#alternatives = [[]];
    this.#flags = inner;
    this.#begin();
  }

  #close(): void {
    const group = this.#groups.pop();
    if (!group) throw new PatternError("unexpected )", this.#pattern.source);
    this.#pattern.take(1);
    this.#flags = group.outer;
    const alternatives = this.#alternatives;
    this.#alternatives = group.alternatives;
    this.#add({ kind: "group", alternatives });
  }

  #repeat(operator: string): void {
    this.#checkRepeat(operator);
    this.#pattern.take(1);
    this.#addRepeat(operator, operator === "+" ? 1 : 0, operator === "?" ? 1 : Infinity);
  }

  #repeatCounted([text, least, comma, most]: RegExpExecArray): void {
    const counts = [Number(least), most ? Number(most) : comma ? 0 : Number(least)];
    const isWrong = counts.some((count) => count > MOST_REPEATS) ||
      (most !== undefined && most !== "" && counts[1] < counts[0]);
    if (isWrong) throw new PatternError("invalid repeat count", text);
    this.#checkRepeat(text);
    this.#pattern.take(text.length);
    this.#addRepeat(text, counts[0], comma && !most ? Infinity : counts[1]);
  }

  #checkRepeat(operator: string): void {
    if (this.#lastRepeat !== undefined) {
      throw new PatternError("invalid nested repetition operator", this.#lastRepeat + operator);
    }
    if (!this.#repeatable) throw new PatternError("missing argument to repetition operator", operator);
  }

  #addRepeat(operator: string, least: number, most: number): void {
    // Whether it takes more or less makes no difference to whether there is a match.
    const lazy = this.#pattern.rest.startsWith("?") ? this.#pattern.take(1) : "";
    const parts = this.#alternatives.at(-1)!;
    this.#add({ kind: "repeat", part: parts.pop()!, least, most });
    this.#lastRepeat = operator + lazy;
  }

  #escape(): void {
    if (this.#pattern.rest.startsWith("\\Q")) {
      const [literal] = this.#pattern.rest.slice(2).split("\\E", 1);
      this.#pattern.take(literal.length + 2);
      if (this.#pattern.rest.startsWith("\\E")) this.#pattern.take(2);
      for (const char of literal) this.#character(asLiteral(char));
      return;
    }
    const letter = this.#pattern.rest[1];
    const fixed: Readonly<Record<string, Assertion>> = {
      A: atStart,
      z: atEnd,
      b: atBoundary,
      B: (characters, at) => !atBoundary(characters, at),
    };
    if (fixed[letter]) {
      this.#pattern.take(2);
      return this.#assert(fixed[letter]);
    }
    const { text, isClass } = readEscape(this.#pattern);
    this.#character(isClass ? `[${text}]` : text);
  }
}

/**
 * The pattern of a schema, ready to be run: in time that grows with the length of a text and no faster.
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
export function compilePattern(pattern: string): PatternProgram {
  return new Parser(pattern).run();
}

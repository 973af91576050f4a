import { asLiteral, readClass, readEscape } from "./pattern_characters.ts";
import { PatternError } from "./pattern_error.ts";
import { PatternText } from "./pattern_text.ts";

const MOST_REPEATS = 1000;

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
  readonly #pattern: PatternText;
  readonly #groups: Group[] = [];
  #out = "";
  #flags: Flags = { i: false, m: false, s: false };
  /** Whether there is something that a repetition could repeat, and where the last repetition began. */
  #repeatable = false;
  #lastRepeat: string | undefined;

  constructor(source: string) {
    this.#pattern = new PatternText(source);
  }

  run(): string {
    while (this.#pattern.rest !== "") this.#step();
    if (this.#groups.length > 0) throw new PatternError("missing closing )", this.#pattern.source);
    return this.#out;
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
        return this.#emit("|", false);
      case "[":
        return this.#emit(this.#cased(readClass(this.#pattern)), true);
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
        return this.#emit(this.#anchorOrDot(char), true);
    }
    this.#pattern.take(char.length);
    this.#emit(this.#literal(char), true);
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
    this.#groups.push({ outer: this.#flags });
    this.#flags = inner;
    this.#emit("(?:", false);
  }

  #close(): void {
    const group = this.#groups.pop();
    if (!group) throw new PatternError("unexpected )", this.#pattern.source);
    this.#pattern.take(1);
    this.#flags = group.outer;
    this.#emit(")", true);
  }

  #repeat(operator: string): void {
    this.#checkRepeat(operator);
    this.#pattern.take(1);
    this.#emitRepeat(operator);
  }

  #repeatCounted([text, least, comma, most]: RegExpExecArray): void {
    const counts = [Number(least), most ? Number(most) : comma ? 0 : Number(least)];
    const isWrong = counts.some((count) => count > MOST_REPEATS) ||
      (most !== undefined && most !== "" && counts[1] < counts[0]);
    if (isWrong) throw new PatternError("invalid repeat count", text);
    this.#checkRepeat(text);
    this.#pattern.take(text.length);
    this.#emitRepeat(text);
  }

  #checkRepeat(operator: string): void {
    if (this.#lastRepeat !== undefined) {
      throw new PatternError("invalid nested repetition operator", this.#lastRepeat + operator);
    }
    if (!this.#repeatable) throw new PatternError("missing argument to repetition operator", operator);
  }

  #emitRepeat(operator: string): void {
    const lazy = this.#pattern.rest.startsWith("?") ? this.#pattern.take(1) : "";
    this.#out += operator + lazy;
    this.#repeatable = true;
    this.#lastRepeat = operator + lazy;
  }

  #escape(): void {
    if (this.#pattern.rest.startsWith("\\Q")) {
      const [literal] = this.#pattern.rest.slice(2).split("\\E", 1);
      this.#pattern.take(literal.length + 2);
      if (this.#pattern.rest.startsWith("\\E")) this.#pattern.take(2);
      for (const char of literal) this.#emit(this.#literal(char), true);
      return;
    }
    const letter = this.#pattern.rest[1];
    const fixed: Readonly<Record<string, string>> = {
      A: "(?:^)",
      z: "(?:$)",
      b: "(?:\\b)",
      B: "(?:\\B)",
    };
    if (fixed[letter]) {
      this.#pattern.take(2);
      return this.#emit(fixed[letter], true);
    }
    const { text, isClass } = readEscape(this.#pattern);
    this.#emit(this.#cased(isClass ? `[${text}]` : text), true);
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

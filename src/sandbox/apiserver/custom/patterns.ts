import { characterAt, type Characters, classAt, literal } from "./pattern_characters.ts";
import { PatternError } from "./pattern_error.ts";
import { type Assertion, type PatternPart, PatternProgram } from "./pattern_program.ts";

const MOST_REPEATS = 1000;
/** How deep groups may be nested. */
const DEEPEST = 1000;

const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const atBoundary: Assertion = (characters, at) => isWord(characters[at - 1]) !== isWord(characters[at]);
const atStart: Assertion = (_, at) => at === 0;
const atEnd: Assertion = ({ length }, at) => at === length;
const atLineStart: Assertion = (characters, at) => at === 0 || characters[at - 1] === "\n";
const atLineEnd: Assertion = (characters, at) => at === characters.length || characters[at] === "\n";

const ESCAPED_ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ["\\A", atStart],
  ["\\z", atEnd],
  ["\\b", atBoundary],
  ["\\B", (characters, at) => !atBoundary(characters, at)],
]);

const REPETITION = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/;
const GROUP = /^\((?:\?P?<\w+>|\?([imsU]*)(?:-([imsU]+))?(?=[:)]):?)?/;
const QUOTED = /^\\Q([^]*?)(?:\\E|$)/;

/**
 * Parses a Go regular expression (RE2). Groups do not capture; matching single characters is left to JavaScript.
 * Upstream: `regexp/syntax`.
 */
class Parser {
  #rest: string;
  /** The active flags: `i` (ignore case), `m` (multiple lines) and `s` (dot matches all). */
  #flags = "";
  #depth = 0;

  constructor(source: string) {
    this.#rest = source;
  }

  run(source: string): PatternProgram {
    const alternatives = this.#alternatives();
    if (this.#rest !== "") throw new PatternError("unexpected )", source);
    return new PatternProgram(alternatives, source);
  }

  #take(text: string): void {
    this.#rest = this.#rest.slice(text.length);
  }

  #alternatives(): PatternPart[][] {
    const all = [this.#sequence()];
    while (this.#rest.startsWith("|")) {
      this.#take("|");
      all.push(this.#sequence());
    }
    return all;
  }

  #sequence(): PatternPart[] {
    const parts: PatternPart[] = [];
    while (this.#rest !== "" && !/^[|)]/.test(this.#rest)) {
      if (REPETITION.test(this.#rest)) throw new PatternError("missing argument to repetition operator", this.#rest);
      const found = this.#quoted() ?? [this.#atom()].filter((part) => part !== undefined);
      const last = found.pop();
      if (last) parts.push(...found, this.#repeated(last));
    }
    return parts;
  }

  /** The text between `\Q` and `\E`. */
  #quoted(): PatternPart[] | undefined {
    const [text, content] = QUOTED.exec(this.#rest) ?? [];
    if (text === undefined) return undefined;
    this.#take(text);
    return Array.from(content, (char) => this.#character(literal(char)));
  }

  /** `undefined` if it only sets flags. */
  #atom(): PatternPart | undefined {
    const escaped = ESCAPED_ASSERTIONS.get(this.#rest.slice(0, 2));
    if (escaped) {
      this.#take("\\A");
      return { kind: "assertion", holds: escaped };
    }
    switch (this.#rest[0]) {
      case "(":
        return this.#group();
      case "^":
      case "$":
        return { kind: "assertion", holds: this.#anchor() };
      case ".":
        this.#take(".");
        return this.#character(this.#flags.includes("s") ? "[^]" : "[^\\n]");
    }
    const found: Characters = this.#rest[0] === "[" ? classAt(this.#rest) : characterAt(this.#rest);
    this.#take(found.text);
    return this.#character(found.meaning, found.text);
  }

  #anchor(): Assertion {
    const isStart = this.#rest[0] === "^";
    this.#take("^");
    if (this.#flags.includes("m")) return isStart ? atLineStart : atLineEnd;
    return isStart ? atStart : atEnd;
  }

  #character(meaning: string, text = meaning): PatternPart {
    try {
      return { kind: "character", fits: new RegExp(`^${meaning}$`, this.#flags.includes("i") ? "iv" : "v") };
    } catch {
      throw new PatternError("invalid character class range", text);
    }
  }

  #group(): PatternPart | undefined {
    const [text, on, off = ""] = GROUP.exec(this.#rest)!;
    if (text === "(" && this.#rest.startsWith("(?")) {
      throw new PatternError("invalid or unsupported Perl syntax", this.#rest);
    }
    const outer = this.#flags;
    const start = this.#rest;
    this.#take(text);
    if (on !== undefined) this.#flags = [...this.#flags + on].filter((flag) => !off.includes(flag)).join("");
    if (on !== undefined && !text.endsWith(":")) return void this.#take(")");
    if (++this.#depth > DEEPEST) throw new PatternError("expression nests too deeply", start);
    const alternatives = this.#alternatives();
    if (this.#rest === "") throw new PatternError("missing closing )", start);
    this.#take(")");
    this.#depth--;
    this.#flags = outer;
    return { kind: "group", alternatives };
  }

  /** `part` with the quantifier that follows. Greediness does not affect whether there is a match. */
  #repeated(part: PatternPart): PatternPart {
    const [text, count, comma, limit] = REPETITION.exec(this.#rest) ?? [];
    if (text === undefined) return part;
    this.#take(text);
    if (REPETITION.test(this.#rest)) throw new PatternError("invalid nested repetition operator", text + this.#rest);
    if (count === undefined) {
      return { kind: "repeat", part, least: text[0] === "+" ? 1 : 0, most: text[0] === "?" ? 1 : Infinity };
    }
    const least = Number(count);
    const most = limit ? Number(limit) : comma ? Infinity : least;
    const isWrong = least > MOST_REPEATS || most < least || (most !== Infinity && most > MOST_REPEATS);
    if (isWrong) throw new PatternError("invalid repeat count", text);
    return { kind: "repeat", part, least, most };
  }
}

/**
 * Compiles a schema's pattern. Matching takes linear time.
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
  return new Parser(pattern).run(pattern);
}

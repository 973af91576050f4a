/** A matcher that works as V8's does, by backtracking, and counts its steps: the cost of a match without a clock. */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Matches from `at` on, then what comes behind it: `next`. */
type Matcher = (at: number, next: (at: number) => boolean) => boolean;

class OutOfSteps extends Error {}

/**
 * Counts what a regular expression costs on a text: one step for each character or assertion that is looked at.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * // Five starts, and from each on to the end.
 * assertEquals(new Backtracking(/a+b/).steps("aaaa") > 4 * 4 / 2, true);
 * ```
 */
export class Backtracking {
  readonly pattern: AST.Pattern;
  /** Whether a character is one of an atom's, for each atom; atoms are those parts that match one character. */
  readonly atoms = new Map<AST.Element, (character: string) => boolean>();
  readonly #flags: string;
  readonly #matcher: Matcher;
  #text: readonly string[] = [];
  #left = 0;
  #groups = 0;
  #captures: (readonly [from: number, to: number] | undefined)[] = [];

  constructor(expression: RegExp) {
    this.#flags = expression.flags;
    const { unicode } = expression;
    this.pattern = new RegExpParser().parsePattern(expression.source, undefined, undefined, { unicode });
    this.#matcher = this.#alternatives(this.pattern.alternatives);
  }

  /** The steps of one match, of all matches of a global expression; `budget` where it takes more. */
  steps(text: string, budget = 1e6): number {
    this.#text = Array.from(text);
    this.#left = budget;
    try {
      const repeats = /[gy]/.test(this.#flags);
      for (let at = 0; at <= this.#text.length;) {
        const [found, end] = this.#search(at);
        if (!repeats || found < 0) break;
        at = end > found ? end : end + 1;
      }
      return budget - this.#left;
    } catch (error) {
      if (error instanceof OutOfSteps || error instanceof RangeError) return budget;
      throw error;
    }
  }

  #search(from: number): [found: number, end: number] {
    const last = this.#flags.includes("y") ? from : this.#text.length;
    for (let start = from; start <= last; start++) {
      let end = -1;
      this.#captures = [];
      if (this.#matcher(start, (at) => (end = at, true))) return [start, end];
    }
    return [-1, -1];
  }

  #step(): void {
    if (--this.#left <= 0) throw new OutOfSteps();
  }

  #alternatives(alternatives: readonly AST.Alternative[]): Matcher {
    const each = alternatives.map(({ elements }) => this.#sequence(elements.map((element) => this.#element(element))));
    return each.length === 1 ? each[0] : (at, next) => each.some((alternative) => alternative(at, next));
  }

  #sequence(parts: readonly Matcher[]): Matcher {
    return parts.reduceRight<Matcher>(
      (rest, part) => (at, next) => part(at, (to) => rest(to, next)),
      (at, next) => next(at),
    );
  }

  #element(element: AST.Element): Matcher {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        return this.#atom(element);
      case "Group":
        return this.#alternatives(element.alternatives);
      case "CapturingGroup":
        return this.#capturing(element);
      case "Quantifier":
        return this.#quantifier(element);
      case "Assertion":
        return this.#assertion(element);
      case "Backreference":
        return this.#backreference(element.ref as number);
      default:
        throw new Error(`cannot count the steps of ${element.raw}`);
    }
  }

  #atom(element: AST.Character | AST.CharacterSet | AST.CharacterClass): Matcher {
    const expression = new RegExp(`^${element.raw}$`, this.#flags.replace(/[gym]/g, ""));
    const known = new Map<string, boolean>();
    const matches = (character: string) => {
      let is = known.get(character);
      if (is === undefined) known.set(character, is = expression.test(character));
      return is;
    };
    this.atoms.set(element, matches);
    return (at, next) => {
      this.#step();
      return at < this.#text.length && matches(this.#text[at]) && next(at + 1);
    };
  }

  #capturing({ alternatives }: AST.CapturingGroup): Matcher {
    const index = ++this.#groups;
    const inner = this.#alternatives(alternatives);
    return (at, next) => {
      const before = this.#captures[index];
      const matched = inner(at, (to) => {
        this.#captures[index] = [at, to];
        return next(to);
      });
      if (!matched) this.#captures[index] = before;
      return matched;
    };
  }

  #backreference(index: number): Matcher {
    return (at, next) => {
      const [from, to] = this.#captures[index] ?? [0, 0];
      for (let i = from; i < to; i++) {
        this.#step();
        if (this.#text[at + i - from] !== this.#text[i]) return false;
      }
      return next(at + to - from);
    };
  }

  #quantifier({ element, min, max, greedy }: AST.Quantifier): Matcher {
    const inner = this.#element(element as AST.Element);
    const matches = this.atoms.get(element as AST.Element);
    if (matches && greedy) return this.#characters(matches, min, max);
    const repeat = (count: number, at: number, next: (at: number) => boolean): boolean => {
      const again = () => count < max && inner(at, (to) => (to > at || count < min) && repeat(count + 1, to, next));
      this.#step();
      if (count < min) return again();
      return greedy ? again() || next(at) : next(at) || again();
    };
    return (at, next) => repeat(0, at, next);
  }

  /** Many of one kind, without a call for each: texts are longer than the stack is deep. */
  #characters(matches: (character: string) => boolean, min: number, max: number): Matcher {
    return (at, next) => {
      let to = at;
      while (to - at < max && to < this.#text.length && matches(this.#text[to])) {
        this.#step();
        to++;
      }
      this.#step();
      for (; to - at >= min; to--) {
        this.#step();
        if (next(to)) return true;
      }
      return false;
    };
  }

  #assertion(assertion: AST.Assertion): Matcher {
    const isWord = (at: number) => at >= 0 && at < this.#text.length && /\w/.test(this.#text[at]);
    const isMultiline = this.#flags.includes("m");
    const looks = "alternatives" in assertion ? this.#alternatives(assertion.alternatives) : undefined;
    if (assertion.kind === "lookbehind" && !/^\(\?<[=!](\\?.|\[[^\]]*\])\)$/.test(assertion.raw)) {
      throw new Error(`cannot count the steps of ${assertion.raw}: it looks back at more than one character`);
    }
    const holds = (at: number): boolean => {
      switch (assertion.kind) {
        case "start":
          return at === 0 || isMultiline && this.#text[at - 1] === "\n";
        case "end":
          return at === this.#text.length || isMultiline && this.#text[at] === "\n";
        case "word":
          return (isWord(at - 1) !== isWord(at)) !== assertion.negate;
        case "lookahead":
          return looks!(at, () => true) !== assertion.negate;
        case "lookbehind":
          return (at > 0 && looks!(at - 1, () => true)) !== assertion.negate;
      }
    };
    return (at, next) => {
      this.#step();
      return holds(at) && next(at);
    };
  }
}

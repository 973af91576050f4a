import {
  BINARY_OPERATOR_NAMES,
  type LabelRequirement,
  labelRequirement,
  SelectorError,
  type SelectorOperator,
} from "./label_requirement.ts";
import { labelKeyErrors } from "./name_rules.ts";
import { compareUtf8, goQuote, runAtOnce } from "../base/mod.ts";

type TokenKind = "identifier" | "end" | ")" | "," | "!" | "==" | "=" | ">" | "in" | "<" | "!=" | "notin" | "(";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SIGNS = "=!(),><";
const SPACES = " \t\r\n";
/** Whether the ASCII character with this code ends a word. */
const ENDS_WORD: readonly boolean[] = Array.from(
  { length: 128 },
  (_, code) => `${SIGNS}${SPACES}\0`.includes(String.fromCharCode(code)),
);

const END: Token = { kind: "end", text: "" };

/**
 * The tokens of a selector one by one, then `end` for ever. Upstream: `k8s.io/apimachinery/pkg/labels/selector.go`
 * (Lexer).
 */
class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    const text = this.#text;
    while (this.#at < text.length && SPACES.includes(text[this.#at])) this.#at++;
    if (this.#at >= text.length || text[this.#at] === "\0") return END;
    const token = SIGNS.includes(text[this.#at]) ? this.#sign() : this.#word();
    // Upstream's lexer takes a zero byte for the end of the token, and a second one for the end of the text.
    if (text[this.#at] === "\0") this.#at++;
    return token;
  }

  #sign(): Token {
    const start = this.#at;
    const sign = this.#text[start];
    // Of two characters only "==" and "!=" are one token.
    this.#at += (sign === "=" || sign === "!") && this.#text[start + 1] === "=" ? 2 : 1;
    const text = this.#text.slice(start, this.#at);
    return { kind: text as TokenKind, text };
  }

  #word(): Token {
    const start = this.#at;
    while (this.#at < this.#text.length && !ENDS_WORD[this.#text.charCodeAt(this.#at)]) this.#at++;
    const text = this.#text.slice(start, this.#at);
    return { kind: text === "in" || text === "notin" ? text : "identifier", text };
  }
}

/**
 * The requirements in a selector's text, in the order in which they are written.
 *
 * @throws {SelectorError} If the text is not a selector.
 */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  return runAtOnce(labelRequirementSteps(text));
}

/** As {@link parseLabelRequirements}, a step a requirement or value. */
export function labelRequirementSteps(text: string): Generator<void, LabelRequirement[]> {
  return new Parser(text).parse();
}

class Parser {
  readonly #lexer: Lexer;
  #ahead: Token;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#ahead = this.#lexer.next();
  }

  *parse(): Generator<void, LabelRequirement[]> {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === "end") return requirements;
      if (!startsRequirement(first)) {
        throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      yield;
      requirements.push(yield* this.#requirement());
      const separator = this.#next();
      if (separator.kind === "end") return requirements;
      if (separator.kind !== ",") {
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      const after = this.#peek();
      if (!startsRequirement(after)) {
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  /** The token ahead, where `in` and `notin` are taken as names. */
  #peek(): Token {
    return asName(this.#ahead);
  }

  #next(): Token {
    return asName(this.#nextWithKeywords());
  }

  #nextWithKeywords(): Token {
    const token = this.#ahead;
    this.#ahead = this.#lexer.next();
    return token;
  }

  *#requirement(): Generator<void, LabelRequirement> {
    try {
      const negated = this.#peek().kind === "!";
      if (negated) this.#next();
      const key = this.#next();
      if (key.kind !== "identifier") fail(`found '${key.text}', expected: identifier`);
      const errors = labelKeyErrors(key.text);
      if (errors.length > 0) fail(`<nil>: Invalid value: ${goQuote(key.text)}: ${errors.join("; ")}`);
      const ahead = this.#peek().kind;
      if (negated) return labelRequirement(key.text, "!", []);
      if (ahead === "end" || ahead === ",") return labelRequirement(key.text, "exists", []);
      const operator = this.#operator();
      const values = operator === "in" || operator === "notin" ? yield* this.#values() : [this.#exactValue()];
      return labelRequirement(key.text, operator, values);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #operator(): SelectorOperator {
    const { kind, text } = this.#nextWithKeywords();
    if (kind === ">") return "gt";
    if (kind === "<") return "lt";
    if (kind === "in" || kind === "notin" || kind === "=" || kind === "==" || kind === "!=") return kind;
    return fail(`found '${text}', expected: ${BINARY_OPERATOR_NAMES}`);
  }

  #exactValue(): string {
    const ahead = this.#peek().kind;
    if (ahead === "end" || ahead === ",") return "";
    const value = this.#next();
    return value.kind === "identifier" ? value.text : fail(`found '${value.text}', expected: identifier`);
  }

  /** A list in parentheses, sorted; nothing between two separators stands for the empty value. */
  *#values(): Generator<void, string[]> {
    const open = this.#next();
    if (open.kind !== "(") fail(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ")") {
      this.#next();
      return [""];
    }
    if (first.kind !== "identifier" && first.kind !== ",") {
      fail(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      yield;
      const { kind, text } = this.#next();
      const ahead = this.#peek();
      if (kind === "identifier") {
        values.add(text);
        if (ahead.kind === ")") break;
        if (ahead.kind !== ",") fail(`found '${ahead.text}', expected: ',' or ')'`);
      } else if (kind === ",") {
        if (values.size === 0 || ahead.kind === ")" || ahead.kind === ",") values.add("");
        if (ahead.kind === ")") break;
      } else fail(`found '${text}', expected: ',', or identifier`);
    }
    this.#next();
    return [...values].sort(compareUtf8);
  }
}

function startsRequirement({ kind }: Token): boolean {
  return kind === "identifier" || kind === "!";
}

function asName(token: Token): Token {
  return token.kind === "in" || token.kind === "notin" ? { kind: "identifier", text: token.text } : token;
}

function fail(why: string): never {
  throw new SelectorError(why);
}

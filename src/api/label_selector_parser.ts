import {
  BINARY_OPERATOR_NAMES,
  type LabelRequirement,
  labelRequirement,
  SelectorError,
  type SelectorOperator,
} from "./label_requirement.ts";
import { labelKeyErrors } from "./name_rules.ts";
import { compareUtf8, goQuote } from "../base/mod.ts";

type TokenKind = "identifier" | "end" | ")" | "," | "!" | "==" | "=" | ">" | "in" | "<" | "!=" | "notin" | "(";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS: ReadonlySet<string> = new Set([")", ",", "!", "==", "=", ">", "in", "<", "!=", "notin", "("]);
const SPECIAL = /[=!(),><]/;
const SPACE = /[ \t\r\n]/;
const WORD_END = /[=!(),>< \t\r\n\0]/;

/** The tokens of a selector, `end` last. Upstream: `k8s.io/apimachinery/pkg/labels/selector.go` (Lexer). */
function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length && text[at] !== "\0") {
    if (SPACE.test(text[at])) {
      at++;
      continue;
    }
    const start = at;
    if (SPECIAL.test(text[at])) {
      at++;
      // Of two characters only "==" and "!=" are one token.
      if (at < text.length && KEYWORDS.has(text.slice(start, at + 1))) at++;
    } else {
      while (at < text.length && !WORD_END.test(text[at])) at++;
    }
    const word = text.slice(start, at);
    found.push({ kind: KEYWORDS.has(word) ? word as TokenKind : "identifier", text: word });
    // Upstream's lexer takes a zero byte for the end of the token, and a second one for the end of the text.
    if (text[at] === "\0") at++;
  }
  found.push({ kind: "end", text: "" });
  return found;
}

/**
 * The requirements in a selector's text, in the order in which they are written.
 *
 * @throws {SelectorError} If the text is not a selector.
 */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  return new Parser(text).parse();
}

class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokens(text);
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === "end") return requirements;
      if (!startsRequirement(first)) {
        throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
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
    return asName(this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]);
  }

  #next(): Token {
    return asName(this.#nextWithKeywords());
  }

  #nextWithKeywords(): Token {
    return this.#tokens[Math.min(this.#at++, this.#tokens.length - 1)];
  }

  #requirement(): LabelRequirement {
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
      const values = operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
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
  #values(): string[] {
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

import type { Expression, StructField } from "./expressions.ts";
import type { Issues } from "./issues.ts";
import { literalOf, NUMBERS } from "./literals.ts";
import { hasMacro, MacroError, memberMacro } from "./macros.ts";
import type { Nodes, OptionalValue } from "./nodes.ts";
import { DEEPEST, RecursionError, SyntaxProblem } from "./syntax_problem.ts";
import type { Token, TokenKind } from "./tokens.ts";

/** Names reserved for the future. */
const RESERVED = new Set([
  ..."as break const continue else for function if import let loop package namespace return var void while".split(" "),
]);
const RELATIONS: Partial<Record<TokenKind, string>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">=": "_>=_",
  ">": "_>_",
  "==": "_==_",
  "!=": "_!=_",
  "in": "@in",
};
const SUMS: Partial<Record<TokenKind, string>> = { "+": "_+_", "-": "_-_" };
const PRODUCTS: Partial<Record<TokenKind, string>> = { "*": "_*_", "/": "_/_", "%": "_%_" };
const BEGINNINGS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** How many parts are read between two points where the work may be interrupted. */
const PARTS_IN_A_ROW = 16;

/** The result of a grammar rule. */
type Rules = Generator<void, Expression>;
type Rule = "expr" | "relation" | "calc" | "member";

/** The rules of the language, each a method. Upstream: `parser/gen/CEL.g4`, `parser/parser.go`. */
export class Grammar {
  readonly #tokens: readonly Token[];
  readonly #nodes: Nodes;
  readonly #issues: Issues;
  readonly #depths: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };
  #at = 0;
  #read = 0;

  constructor(tokens: readonly Token[], nodes: Nodes, issues: Issues) {
    this.#tokens = tokens;
    this.#nodes = nodes;
    this.#issues = issues;
  }

  /**
   * The whole expression.
   *
   * @throws {SyntaxProblem} If it is malformed.
   * @throws {RecursionError} If it is nested too deeply.
   */
  *start(): Rules {
    const expression = yield* this.#expr();
    const token = this.#token;
    if (token.kind !== "end") throw new SyntaxProblem(token, "<EOF>");
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#at];
  }

  #next(): Token {
    return this.#tokens[this.#at++];
  }

  #skip(kind: TokenKind): Token | undefined {
    return this.#token.kind === kind ? this.#next() : undefined;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#skip(kind);
    if (!token) throw new SyntaxProblem(this.#token, kind === "ident" ? "IDENTIFIER" : `'${kind}'`);
    return token;
  }

  #enter(rule: Rule): void {
    if (++this.#depths[rule] > DEEPEST) throw new RecursionError(`expression recursion limit exceeded: ${DEEPEST}`);
  }

  *#within(rule: Rule, inner: Rules): Rules {
    const before = this.#depths[rule];
    this.#enter(rule);
    const result = yield* inner;
    this.#depths[rule] = before;
    return result;
  }

  #expr(): Rules {
    return this.#within("expr", this.#conditional());
  }

  *#conditional(): Rules {
    const condition = yield* this.#or();
    const sign = this.#skip("?");
    if (!sign) return condition;
    const then = yield* this.#or();
    this.#expect(":");
    return this.#nodes.call(sign.offset, "_?_:_", condition, then, yield* this.#expr());
  }

  #or(): Rules {
    return this.#logic("||", "_||_", () => this.#logic("&&", "_&&_", () => this.#relation()));
  }

  /** Terms joined by one operator, as a balanced tree. */
  *#logic(kind: TokenKind, name: string, term: () => Rules): Rules {
    const terms = [yield* term()];
    const signs: Token[] = [];
    for (let sign = this.#skip(kind); sign; sign = this.#skip(kind)) {
      signs.push(sign);
      terms.push(yield* term());
    }
    const balanced = (low: number, high: number): Expression => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? terms[middle] : balanced(low, middle - 1);
      const right = middle === high ? terms[middle + 1] : balanced(middle + 1, high);
      return this.#nodes.call(signs[middle].offset, name, left, right);
    };
    return signs.length === 0 ? terms[0] : balanced(0, signs.length - 1);
  }

  #relation(): Rules {
    return this.#within("relation", this.#relations());
  }

  *#relations(): Rules {
    let left = yield* this.#calc();
    for (let name = RELATIONS[this.#token.kind]; name; name = RELATIONS[this.#token.kind]) {
      const sign = this.#next();
      this.#enter("relation");
      const right = yield* this.#within("relation", this.#calc());
      left = this.#nodes.call(sign.offset, name, left, right);
    }
    return left;
  }

  /** Sums and products; only products inside a sum. */
  #calc(isOfSum = false): Rules {
    return this.#within("calc", this.#terms(isOfSum));
  }

  *#terms(isOfSum: boolean): Rules {
    let left = yield* this.#unary();
    for (;;) {
      const { kind, offset } = this.#token;
      const product = PRODUCTS[kind];
      const name = product ?? (isOfSum ? undefined : SUMS[kind]);
      if (!name) return left;
      this.#next();
      this.#enter("calc");
      const right = yield* product ? this.#within("calc", this.#unary()) : this.#calc(true);
      left = this.#nodes.call(offset, name, left, right);
    }
  }

  *#unary(): Rules {
    const first = this.#token;
    const isSigned = first.kind === "-" && NUMBERS.has(this.#tokens[this.#at + 1].kind);
    if (first.kind !== "!" && first.kind !== "-" || isSigned) return yield* this.#member();
    let count = 0;
    while (this.#skip(first.kind)) count++;
    const operand = yield* this.#member();
    return count % 2 === 0 ? operand : this.#nodes.call(first.offset, `${first.kind}_`, operand);
  }

  #member(): Rules {
    return this.#within("member", this.#members());
  }

  *#members(): Rules {
    let operand = yield* this.#primary();
    for (;;) {
      const dot = this.#skip(".");
      if (dot) operand = yield* this.#selection(dot, operand);
      else if (this.#token.kind === "[") operand = yield* this.#index(operand);
      else return operand;
      this.#enter("member");
    }
  }

  *#index(operand: Expression): Rules {
    const { offset } = this.#expect("[");
    const isOptional = this.#skip("?") !== undefined;
    const index = yield* this.#expr();
    this.#expect("]");
    return this.#nodes.call(offset, isOptional ? "_[?_]" : "_[_]", operand, index);
  }

  *#selection(dot: Token, operand: Expression): Rules {
    const isOptional = this.#skip("?") !== undefined;
    const name = this.#fieldName();
    if (isOptional) {
      const field = this.#nodes.literal(name.offset, "string", name.text);
      return this.#nodes.call(dot.offset, "_?._", operand, field);
    }
    const open = this.#skip("(");
    if (!open) return this.#nodes.select(dot.offset, operand, name.text);
    const args = yield* this.#args();
    const call = { nodes: this.#nodes, offset: open.offset, target: operand, args };
    const written = this.#macro(open, () => memberMacro(name.text, call));
    return written ?? this.#nodes.member(open.offset, name.text, operand, ...args);
  }

  #macro(open: Token, write: () => Expression | undefined): Expression | undefined {
    try {
      return write();
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#issues.add(error.offset, error.message);
      return this.#nodes.literal(open.offset, "null", "null");
    }
  }

  #fieldName(): Token {
    const escaped = this.#skip("escaped");
    if (!escaped) return this.#expect("ident");
    this.#issues.add(escaped.offset, "unsupported syntax: '`'");
    return escaped;
  }

  /** The arguments between `(`, already consumed, and `)`. */
  *#args(): Generator<void, Expression[]> {
    const args: Expression[] = [];
    if (this.#skip(")")) return args;
    do args.push(yield* this.#expr()); while (this.#skip(","));
    this.#expect(")");
    return args;
  }

  *#primary(): Rules {
    if (++this.#read % PARTS_IN_A_ROW === 0) yield;
    const token = this.#token;
    switch (token.kind) {
      case "(": {
        this.#next();
        const inner = yield* this.#expr();
        this.#expect(")");
        return inner;
      }
      case "[":
        return yield* this.#list();
      case "{":
        return yield* this.#map();
      case ".":
      case "ident":
        return yield* this.#name();
      default:
        return this.#literal();
    }
  }

  #literal(): Expression {
    const sign = this.#skip("-");
    const token = this.#next();
    const literal = literalOf(token, sign);
    if (!literal || sign && !NUMBERS.has(token.kind)) throw new SyntaxProblem(token, BEGINNINGS);
    const { offset } = sign ?? token;
    if (literal.wrong !== undefined) this.#issues.add(offset, literal.wrong);
    return this.#nodes.literal(offset, literal.type, literal.text);
  }

  *#name(): Rules {
    const dot = this.#skip(".");
    const made = this.#structName();
    if (made !== undefined) return yield* this.#struct(dot ? `.${made}` : made);
    const token = this.#expect("ident");
    const name = dot ? `.${token.text}` : token.text;
    if (RESERVED.has(token.text)) this.#issues.add((dot ?? token).offset, `reserved identifier: ${token.text}`);
    const open = this.#skip("(");
    if (!open) return this.#nodes.ident(token.offset, name);
    const args = yield* this.#args();
    const written = name === "has" && args.length === 1
      ? this.#macro(open, () => hasMacro(this.#nodes, open.offset, args[0]))
      : undefined;
    return written ?? this.#nodes.call(open.offset, name, ...args);
  }

  /** The type name of an object literal, if one comes next; consumes it. */
  #structName(): string | undefined {
    let end = this.#at;
    if (this.#tokens[end].kind !== "ident") return undefined;
    const names = [this.#tokens[end++].text];
    while (this.#tokens[end].kind === "." && this.#tokens[end + 1].kind === "ident") {
      names.push(this.#tokens[end + 1].text);
      end += 2;
    }
    if (this.#tokens[end].kind !== "{") return undefined;
    this.#at = end;
    return names.join(".");
  }

  *#struct(name: string): Rules {
    const { offset } = this.#expect("{");
    const fields: StructField[] = [];
    while (this.#token.kind !== "}" && this.#token.kind !== ",") {
      const isOptional = this.#skip("?") !== undefined;
      const field = this.#fieldName();
      const colon = this.#expect(":");
      fields.push({ offset: colon.offset, name: field.text, value: yield* this.#expr(), isOptional });
      if (!this.#goesOn("}")) break;
    }
    this.#close("}");
    return this.#nodes.struct(offset, name, fields);
  }

  *#list(): Rules {
    const { offset } = this.#expect("[");
    const elements: OptionalValue[] = [];
    while (this.#token.kind !== "]" && this.#token.kind !== ",") {
      const isOptional = this.#skip("?") !== undefined;
      elements.push({ value: yield* this.#expr(), isOptional });
      if (!this.#goesOn("]")) break;
    }
    this.#close("]");
    return this.#nodes.list(offset, ...elements);
  }

  *#map(): Rules {
    const { offset } = this.#expect("{");
    const entries: { key: Expression; value: Expression; isOptional: boolean }[] = [];
    while (this.#token.kind !== "}" && this.#token.kind !== ",") {
      const isOptional = this.#skip("?") !== undefined;
      const key = yield* this.#expr();
      this.#expect(":");
      entries.push({ key, value: yield* this.#expr(), isOptional });
      if (!this.#goesOn("}")) break;
    }
    this.#close("}");
    return this.#nodes.map(offset, ...entries);
  }

  /** Whether a comma with another element comes next; consumes the comma. */
  #goesOn(end: TokenKind): boolean {
    if (this.#token.kind !== "," || this.#tokens[this.#at + 1].kind === end) return false;
    this.#next();
    return true;
  }

  #close(kind: TokenKind): void {
    this.#skip(",");
    this.#expect(kind);
  }
}

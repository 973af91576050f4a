import type { Expression } from "./expressions.ts";
import { Issues } from "./issues.ts";
import { tokensOf } from "./lexer.ts";
import { Nodes } from "./nodes.ts";
import { Grammar } from "./grammar.ts";
import { RecursionError, SyntaxProblem } from "./syntax_problem.ts";
import { SourceText } from "./source_text.ts";

/** The longest expression, in characters. Upstream: expressionSizeCodePointLimit. */
const LONGEST = 100_000;

/** The result of parsing: an expression, or its errors. */
export interface Parsed {
  readonly source: SourceText;
  /** Absent if there are errors. */
  readonly expression?: Expression;
  readonly issues: Issues;
}

/**
 * Parses an expression and expands its macros. May be interrupted between any two parts.
 *
 * @throws {TooManyNodesError} If that would take too long.
 */
export function* parseExpression(text: string): Generator<void, Parsed> {
  const source = new SourceText(text);
  const issues = new Issues(source);
  const nodes = new Nodes();
  const { length } = source.characters;
  if (length > LONGEST) {
    issues.add(-1, `expression code point size exceeds limit: size: ${length}, limit ${LONGEST}`);
    return { source, issues };
  }
  const { tokens, errors } = yield* tokensOf(source.characters);
  for (const { offset, text } of errors) issues.add(offset, `Syntax error: token recognition error at: '${text}'`);
  try {
    const expression = yield* new Grammar(tokens, nodes, issues).start();
    return issues.isEmpty ? { source, issues, expression } : { source, issues };
  } catch (error) {
    if (error instanceof SyntaxProblem) issues.add(error.offset, `Syntax error: ${error.message}`);
    else if (error instanceof RecursionError) issues.add(-1, error.message);
    else throw error;
    return { source, issues };
  }
}

import type { Token } from "./tokens.ts";

/** How deeply grammar rules may nest. Upstream: maxRecursionDepth. */
export const DEEPEST = 250;

/** A token where none such is allowed. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  readonly offset: number;

  constructor({ text, offset }: Token, expected: string) {
    super(`mismatched input '${text}' expecting ${expected}`);
    this.offset = offset;
  }
}

/** An expression that is nested too deeply. */
export class RecursionError extends Error {
  override readonly name = "RecursionError";
}

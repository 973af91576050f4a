import { Checker } from "./checker.ts";
import type { Environment } from "./environment.ts";
import { Issues } from "./issues.ts";
import { checkLiterals } from "./literal_rules.ts";
import type { Parsed } from "./parser.ts";
import { Steps, TooManyStepsError } from "./steps.ts";
import type { CelType } from "./types.ts";

/** The most steps for an expression, and for each part: no realistic expression takes a tenth of either. */
const [MOST_STEPS, MOST_OF_PART] = [1_000_000, 100_000];

/** The type of an expression, or its errors. */
export type Compiled = { readonly type: CelType } | { readonly issues: string };

/**
 * Determines the type of an expression. May be interrupted between any two steps.
 *
 * @throws {TooManyStepsError} If that would take too long.
 */
export function* compile(
  { source, expression, issues: parseIssues }: Parsed,
  environment: Environment,
): Generator<void, Compiled> {
  if (!expression) return { issues: String(parseIssues) };
  const issues = new Issues(source);
  const checker = new Checker(environment, issues, new Steps(MOST_STEPS, MOST_OF_PART));
  try {
    yield* checker.check(expression);
    if (issues.isEmpty) yield* checkLiterals(expression, checker, issues);
    return issues.isEmpty ? { type: checker.typeOf(expression) } : { issues: String(issues) };
  } catch (error) {
    // Types within types can be deeper than the stack.
    if (error instanceof RangeError) throw new TooManyStepsError(MOST_STEPS);
    throw error;
  }
}

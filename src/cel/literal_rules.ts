import type { Checker } from "./checker.ts";
import type * as expressions from "./expressions.ts";
import { checkFormat } from "./format_rule.ts";
import type { Issues } from "./issues.ts";
import { type CelType, typeText } from "./types.ts";

type Expression = expressions.Expression;

/** The parts of an expression with rules beyond their types. */
interface Ruled {
  readonly lists: expressions.ListExpression[];
  readonly maps: expressions.MapExpression[];
  readonly formats: expressions.CallExpression[];
}

/**
 * Checks the literals of an expression that type-checks: elements of lists and maps have one type, and formats match
 * their arguments.
 *
 * Upstream: `cel/validator.go` (ValidateHomogeneousAggregateLiterals), `ext/formatting.go`.
 */
export function* checkLiterals(expression: Expression, checker: Checker, issues: Issues): Generator<void, void> {
  const ruled: Ruled = { lists: [], maps: [], formats: [] };
  yield* collect(expression, ruled, false);
  for (const list of ruled.lists) checkList(list, checker, issues);
  for (const map of ruled.maps) checkMap(map, checker, issues);
  for (const call of ruled.formats) checkFormat(call, checker, issues);
}

/** Parts come before the whole. Lists and maps passed to `format` may mix types. */
function* collect(expression: Expression, ruled: Ruled, isFormatted: boolean): Generator<void, void> {
  yield;
  const inner = isFormatted || expression.kind === "call" && expression.name === "format";
  for (const part of partsOf(expression)) yield* collect(part, ruled, inner);
  if (expression.kind === "list" && !isFormatted) ruled.lists.push(expression);
  if (expression.kind === "map" && !isFormatted) ruled.maps.push(expression);
  if (expression.kind === "call" && expression.name === "format") ruled.formats.push(expression);
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expression.operand];
    case "call":
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case "list":
      return expression.elements.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expression.fields.map(({ value }) => value);
    case "comprehension":
      return [expression.range, expression.init, expression.condition, expression.step, expression.result];
  }
}

function checkList({ elements }: expressions.ListExpression, checker: Checker, issues: Issues): void {
  let first: CelType | undefined;
  for (const element of elements) {
    const type = heldType(element, checker);
    first ??= type;
    if (isSame(first, type)) continue;
    mismatch(element.value, first, type, issues);
    return;
  }
}

function checkMap({ entries }: expressions.MapExpression, checker: Checker, issues: Issues): void {
  let first: readonly [CelType, CelType] | undefined;
  for (const entry of entries) {
    const [key, value] = [checker.typeOf(entry.key), heldType(entry, checker)];
    first ??= [key, value];
    if (!isSame(first[0], key)) mismatch(entry.key, first[0], key, issues);
    if (!isSame(first[1], value)) mismatch(entry.value, first[1], value, issues);
  }
}

function heldType(
  { value, isOptional }: { readonly value: Expression; readonly isOptional: boolean },
  checker: Checker,
): CelType {
  const type = checker.typeOf(value);
  return isOptional ? type.params[0] ?? type : type;
}

function isSame(a: CelType, b: CelType): boolean {
  return a === b ||
    a.kind === b.kind && a.name === b.name && a.params.length === b.params.length &&
      a.params.every((param, i) => isSame(param, b.params[i]));
}

function mismatch({ offset }: Expression, expected: CelType, found: CelType, issues: Issues): void {
  issues.add(offset, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
}

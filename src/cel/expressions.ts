/** A node of an expression. Upstream: `common/ast`. */
export type Expression =
  | LiteralExpression
  | IdentExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | Comprehension;

interface Node {
  /** Its own number in its expression, from 0. */
  readonly id: number;
  /** Its position, in characters. */
  readonly offset: number;
}

/** The kinds of literals. */
export type LiteralKind = "bool" | "bytes" | "double" | "int" | "null" | "string" | "uint";

/** A constant. */
export interface LiteralExpression extends Node {
  readonly kind: "literal";
  readonly type: LiteralKind;
  /** For strings their value; for others the source text. */
  readonly text: string;
}

/** A name; one with a leading dot is absolute. */
export interface IdentExpression extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** The selection of a field, or a test for its presence. */
export interface SelectExpression extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
}

/** A function, a method or an operator, such as `_+_`. */
export interface CallExpression extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

/** A list; an optional element is left out if it has no value. */
export interface ListExpression extends Node {
  readonly kind: "list";
  readonly elements: readonly { readonly value: Expression; readonly isOptional: boolean }[];
}

/** A map. */
export interface MapExpression extends Node {
  readonly kind: "map";
  readonly entries: readonly { readonly key: Expression; readonly value: Expression; readonly isOptional: boolean }[];
}

/** An object literal of a named type. */
export interface StructExpression extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** A field of an object literal. */
export interface StructField {
  readonly offset: number;
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** A fold over a range, the expansion of macros such as `all` and `map`. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly init: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Names joined by dots as one name; `undefined` for any other expression. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "ident") return expression.name;
  if (expression.kind !== "select" || expression.isTest) return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

import type { Expression, LiteralKind, StructField } from "./expressions.ts";

/** An element of a list, map or call that is omitted if it has no value. */
export interface OptionalValue {
  readonly value: Expression;
  readonly isOptional: boolean;
}

/**
 * The most nodes that macros may copy: a macro copies its target, and a macro called on its result copies that again.
 */
const MOST_COPIED = 20_000;

/** An expression whose nested macros copy too many nodes. */
export class TooManyNodesError extends Error {
  override readonly name = "TooManyNodesError";

  constructor() {
    super(`the macros of the expression copy more than ${MOST_COPIED} parts of it; call fewer of them on each other`);
  }
}

/** Creates the nodes of one expression. Upstream: `parser/helper.go`. */
export class Nodes {
  #next = 0;
  #copied = 0;

  #node(offset: number): { readonly id: number; readonly offset: number } {
    return { id: this.#next++, offset };
  }

  literal(offset: number, type: LiteralKind, text: string): Expression {
    return { ...this.#node(offset), kind: "literal", type, text };
  }

  ident(offset: number, name: string): Expression {
    return { ...this.#node(offset), kind: "ident", name };
  }

  select(offset: number, operand: Expression, field: string): Expression {
    return { ...this.#node(offset), kind: "select", operand, field, isTest: false };
  }

  test(offset: number, operand: Expression, field: string): Expression {
    return { ...this.#node(offset), kind: "select", operand, field, isTest: true };
  }

  call(offset: number, name: string, ...args: readonly Expression[]): Expression {
    return { ...this.#node(offset), kind: "call", name, args };
  }

  member(offset: number, name: string, target: Expression, ...args: readonly Expression[]): Expression {
    return { ...this.#node(offset), kind: "call", name, target, args };
  }

  list(offset: number, ...elements: readonly OptionalValue[]): Expression {
    return { ...this.#node(offset), kind: "list", elements };
  }

  map(
    offset: number,
    ...entries: readonly { readonly key: Expression; readonly value: Expression; readonly isOptional: boolean }[]
  ): Expression {
    return { ...this.#node(offset), kind: "map", entries };
  }

  struct(offset: number, name: string, fields: readonly StructField[]): Expression {
    return { ...this.#node(offset), kind: "struct", name, fields };
  }

  comprehension(offset: number, fold: Fold): Expression {
    return { ...this.#node(offset), kind: "comprehension", ...fold };
  }

  /**
   * A copy with ids of its own.
   *
   * @throws {TooManyNodesError} If too much was copied.
   */
  copy(expression: Expression): Expression {
    if (++this.#copied > MOST_COPIED) throw new TooManyNodesError();
    const { offset } = expression;
    const copy = (one: Expression) => this.copy(one);
    switch (expression.kind) {
      case "literal":
      case "ident":
        return { ...expression, ...this.#node(offset) };
      case "select":
        return { ...expression, ...this.#node(offset), operand: copy(expression.operand) };
      case "call": {
        const { target, args } = expression;
        return { ...expression, ...this.#node(offset), target: target && copy(target), args: args.map(copy) };
      }
      case "list":
        return { ...expression, ...this.#node(offset), elements: expression.elements.map((one) => this.#again(one)) };
      case "map": {
        const entries = expression.entries.map((one) => ({ ...this.#again(one), key: copy(one.key) }));
        return { ...expression, ...this.#node(offset), entries };
      }
      case "struct":
        return { ...expression, ...this.#node(offset), fields: expression.fields.map((one) => this.#again(one)) };
      case "comprehension": {
        const { range, init, condition, step, result } = expression;
        const parts = { range, init, condition, step, result };
        for (const [name, part] of Object.entries(parts)) parts[name as keyof typeof parts] = copy(part);
        return { ...expression, ...this.#node(offset), ...parts };
      }
    }
  }

  #again<T extends { readonly value: Expression }>(part: T): T {
    return { ...part, value: this.copy(part.value) };
  }
}

/** The range and the steps of a comprehension. */
export interface Fold {
  readonly range: Expression;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly init: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

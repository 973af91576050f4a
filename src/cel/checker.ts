import type { Overload } from "./declaration_text.ts";
import type { Environment } from "./environment.ts";
import * as expressions from "./expressions.ts";
import type { Issues } from "./issues.ts";
import { Scope } from "./scope.ts";
import type { Steps } from "./steps.ts";
import { isDynOrError, Substitution } from "./substitution.ts";
import * as types from "./types.ts";

type CelType = types.CelType;
type Expression = expressions.Expression;

/** Work that may be interrupted between any two steps. */
type Work<T = void> = Generator<void, T>;

/** How many nodes are checked between two points where the work may be interrupted. */
const NODES_IN_A_ROW = 16;

const LITERALS: Readonly<Record<expressions.LiteralKind, CelType>> = {
  bool: types.BOOL,
  bytes: types.BYTES,
  double: types.DOUBLE,
  int: types.INT,
  null: types.NULL,
  string: types.STRING,
  uint: types.UINT,
};

/**
 * Finds the type of every part of an expression, and reports type errors. Upstream: `checker/checker.go`.
 *
 * Contract:
 * 1. An error is reported once: what is wrong has a type that fits everywhere.
 */
export class Checker {
  readonly #issues: Issues;
  readonly #steps: Steps;
  readonly #substitution: Substitution;
  readonly #types: (CelType | undefined)[] = [];
  readonly #environment: Environment;
  #scope: Scope;
  #variables = 0;

  constructor(environment: Environment, issues: Issues, steps: Steps) {
    this.#environment = environment;
    this.#issues = issues;
    this.#steps = steps;
    this.#substitution = new Substitution(steps);
    this.#scope = new Scope(environment);
  }

  /** The type of a part, once the whole expression was checked; an undetermined type is dynamic. */
  typeOf(expression: Expression): CelType {
    this.#steps.begin();
    return this.#substitution.apply(this.#type(expression), true);
  }

  /** A type as messages show it. */
  #text(type: CelType): string {
    this.#measure(type);
    return types.typeText(type);
  }

  #measure(type: CelType): void {
    this.#steps.take();
    for (const param of type.params) this.#measure(param);
  }

  #type(expression: Expression): CelType {
    return this.#types[expression.id] ?? types.ERROR;
  }

  #set(expression: Expression, type: CelType): void {
    this.#types[expression.id] = type;
  }

  /** Finds the types of an expression and its parts. */
  *check(expression: Expression): Work {
    this.#steps.begin();
    if (expression.id % NODES_IN_A_ROW === 0) yield;
    switch (expression.kind) {
      case "literal":
        return this.#set(expression, LITERALS[expression.type]);
      case "ident":
        return this.#ident(expression);
      case "select":
        return yield* this.#select(expression);
      case "call":
        return yield* this.#call(expression);
      case "list":
        return yield* this.#list(expression);
      case "map":
        return yield* this.#map(expression);
      case "struct":
        return yield* this.#struct(expression);
      case "comprehension":
        return yield* this.#comprehension(expression);
    }
  }

  #undeclared({ offset }: Expression, name: string): void {
    this.#issues.add(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch({ offset }: Expression, expected: CelType, actual: CelType): void {
    this.#issues.add(offset, `expected type '${this.#text(expected)}' but found '${this.#text(actual)}'`);
  }

  #ident(expression: expressions.IdentExpression): void {
    const type = this.#scope.ident(expression.name);
    if (!type) this.#undeclared(expression, expression.name);
    this.#set(expression, type ?? types.ERROR);
  }

  *#select(expression: expressions.SelectExpression): Work {
    const name = expressions.qualifiedName(expression);
    const type = name === undefined ? undefined : this.#scope.ident(name);
    if (type) return this.#set(expression, type);
    const selected = yield* this.#field(expression, { ...expression, isOptional: false });
    this.#set(expression, this.#substitution.apply(expression.isTest ? types.BOOL : selected));
  }

  *#optionalSelect(expression: expressions.CallExpression): Work {
    const [operand, field] = expression.args;
    if (field?.kind !== "literal") return this.#set(expression, types.ERROR);
    const type = yield* this.#field(expression, { operand, field: field.text, isOptional: true });
    this.#set(expression, this.#substitution.apply(type));
  }

  *#field(
    expression: Expression,
    { operand, field, isOptional }: {
      readonly operand: Expression;
      readonly field: string;
      readonly isOptional: boolean;
    },
  ): Work<CelType> {
    yield* this.check(operand);
    const [target, wasOptional] = types.unwrapped(this.#substitution.apply(this.#type(operand)));
    const type = this.#fieldType(expression, target, field);
    return wasOptional || isOptional ? types.optionalOf(type) : type;
  }

  #fieldType(expression: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case "map":
        return target.params[1];
      case "struct":
        return this.#structField(expression, target, field);
      case "param":
        this.#assign(types.DYN, target);
        return types.DYN;
    }
    if (!isDynOrError(target)) {
      this.#issues.add(expression.offset, `type '${this.#text(target)}' does not support field selection`);
    }
    return types.DYN;
  }

  #structField({ offset }: { readonly offset: number }, type: CelType, field: string): CelType {
    if (!type.field) {
      this.#issues.add(offset, `unexpected failed resolution of '${type.name}'`);
      return types.ERROR;
    }
    const found = type.field(field);
    if (!found) this.#issues.add(offset, `undefined field '${field}'`);
    return found ?? types.ERROR;
  }

  *#call(expression: expressions.CallExpression): Work {
    const { name, target, args } = expression;
    if (name === "_?._") return yield* this.#optionalSelect(expression);
    for (const arg of args) yield* this.check(arg);
    if (!target) return this.#resolve(expression, { name, args, fullName: withoutDot(name) });
    const prefix = expressions.qualifiedName(target);
    const fullName = prefix === undefined ? undefined : withoutDot(`${prefix}.${name}`);
    if (fullName !== undefined && this.#environment.overloads(fullName)) {
      return this.#resolve(expression, { name: fullName, args, fullName });
    }
    yield* this.check(target);
    this.#resolve(expression, { name, target, args, fullName: name });
  }

  #resolve(
    expression: Expression,
    { name, fullName, target, args }: {
      readonly name: string;
      readonly fullName: string;
      readonly target?: Expression;
      readonly args: readonly Expression[];
    },
  ): void {
    const overloads = this.#environment.overloads(fullName);
    if (!overloads) {
      this.#set(expression, types.ERROR);
      return this.#undeclared(expression, name);
    }
    const given = target ? [target, ...args] : args;
    if (fullName === "_&&_" || fullName === "_||_") return this.#logic(expression, args);
    const result = this.#result(overloads, given, target !== undefined);
    this.#set(expression, result ?? types.ERROR);
    if (result) return;
    const applied_ = given.map((arg) => this.#substitution.apply(this.#type(arg), true));
    for (const type of applied_) this.#measure(type);
    const applied = types.callText(applied_, target !== undefined);
    this.#issues.add(expression.offset, `found no matching overload for '${fullName}' applied to '${applied}'`);
  }

  #logic(expression: Expression, args: readonly Expression[]): void {
    const wrong = args.filter((arg) => !this.#assign(this.#type(arg), types.BOOL));
    for (const arg of wrong) this.#mismatch(arg, types.BOOL, this.#type(arg));
    this.#set(expression, wrong.length > 0 ? types.ERROR : types.BOOL);
  }

  /** The type of a call: the result of all matching overloads if they agree, else dynamic. */
  #result(overloads: readonly Overload[], given: readonly Expression[], isMember: boolean): CelType | undefined {
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== isMember) continue;
      const { args, type } = this.#instance(overload);
      if (!this.#substitution.assignAll(given.map((arg) => this.#type(arg)), args)) continue;
      const one = this.#substitution.apply(type);
      if (!result) result = one;
      else if (!types.isDyn(result) && !this.#substitution.isSame(one, result)) result = types.DYN;
    }
    return result;
  }

  /** An overload with fresh type variables of its own. */
  #instance({ args, result, typeParams }: Overload): { readonly args: readonly CelType[]; readonly type: CelType } {
    if (typeParams.length === 0) return { args, type: result };
    const fresh = new Map(typeParams.map((name) => [name, this.#newVariable()]));
    return { args: args.map((arg) => types.renamed(arg, fresh)), type: types.renamed(result, fresh) };
  }

  *#list(expression: expressions.ListExpression): Work {
    let joined: CelType | undefined;
    for (const { value, isOptional } of expression.elements) {
      yield* this.check(value);
      joined = this.#join(joined, isOptional ? this.#unwrap(value) : this.#type(value));
    }
    this.#set(expression, types.listOf(joined ?? this.#newVariable()));
  }

  *#map(expression: expressions.MapExpression): Work {
    let [keys, values]: (CelType | undefined)[] = [];
    for (const { key, value, isOptional } of expression.entries) {
      yield* this.check(key);
      keys = this.#join(keys, this.#type(key));
      yield* this.check(value);
      values = this.#join(values, isOptional ? this.#unwrap(value) : this.#type(value));
    }
    keys ??= this.#newVariable();
    values ??= this.#newVariable();
    this.#set(expression, types.mapOf(keys, values));
  }

  /** The type inside an optional; reports an error if it is not an optional. */
  #unwrap(expression: Expression): CelType {
    const [type, isOptional] = types.unwrapped(this.#type(expression));
    if (!isOptional && !types.isDyn(type)) this.#mismatch(expression, types.optionalOf(type), type);
    return type;
  }

  *#struct(expression: expressions.StructExpression): Work {
    const declared = this.#scope.ident(expression.name);
    if (!declared) {
      this.#undeclared(expression, expression.name);
      return this.#set(expression, types.ERROR);
    }
    const name = withoutDot(expression.name);
    const made = this.#made(expression, declared);
    this.#set(expression, made);
    for (const field of expression.fields) {
      yield* this.check(field.value);
      const wanted = this.#structField(field, made.kind === "struct" ? made : types.unknownStruct(name), field.name);
      const given = field.isOptional ? this.#unwrap(field.value) : this.#type(field.value);
      if (this.#assign(wanted, given)) continue;
      const texts = [wanted, given].map((type) => this.#text(type));
      const message = `expected type of field '${field.name}' is '${texts[0]}' but provided type is '${texts[1]}'`;
      this.#issues.add(field.offset, message);
    }
  }

  /** The type of an object literal of a declared type. */
  #made({ offset }: Expression, declared: CelType): CelType {
    if (declared.kind === "error") return types.ERROR;
    if (declared.kind !== "type") {
      this.#issues.add(offset, `'${types.declaredName(declared)}' is not a type`);
      return types.ERROR;
    }
    const [type = types.TYPE] = declared.params;
    if (type.kind === "struct" || types.isWellKnown(type)) return type;
    this.#issues.add(offset, `'${types.declaredName(type)}' is not a message type`);
    return types.ERROR;
  }

  *#comprehension(expression: expressions.Comprehension): Work {
    const { range, variable, variable2, accumulator, init, condition, step, result } = expression;
    yield* this.check(range);
    yield* this.check(init);
    const accumulated = this.#type(init);
    const outer = this.#scope;
    const middle = this.#scope = outer.with([[accumulator, accumulated]]);
    const [first, second] = this.#elements(range, variable2 !== undefined);
    this.#scope = middle.with(variable2 === undefined ? [[variable, first]] : [[variable, first], [variable2, second]]);
    yield* this.check(condition);
    this.#demand(condition, types.BOOL);
    yield* this.check(step);
    this.#demand(step, accumulated);
    this.#scope = middle;
    yield* this.check(result);
    this.#scope = outer;
    this.#set(expression, this.#substitution.apply(this.#type(result)));
  }

  /** The types of a comprehension's variables. */
  #elements(range: Expression, areTwo: boolean): readonly [CelType, CelType] {
    const type = this.#substitution.apply(this.#type(range));
    switch (type.kind) {
      case "list":
        return areTwo ? [types.INT, type.params[0]] : [type.params[0], types.ERROR];
      case "map":
        return [type.params[0], type.params[1]];
      case "dyn":
      case "error":
      case "param":
        this.#assign(types.DYN, type);
        return [types.DYN, types.DYN];
    }
    const text = this.#text(type);
    this.#issues.add(
      range.offset,
      `expression of type '${text}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [types.ERROR, types.ERROR];
  }

  #demand(expression: Expression, type: CelType): void {
    const found = this.#type(expression);
    if (!this.#assign(type, found)) this.#mismatch(expression, type, found);
  }

  /** The common type of several elements; that literals must not mix types is checked separately. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (!before) return type;
    return this.#assign(before, type) ? this.#substitution.mostGeneral(before, type) : types.DYN;
  }

  #assign(from: CelType, to: CelType): boolean {
    return this.#substitution.assignAll([from], [to]);
  }

  #newVariable(): CelType {
    return types.typeParam(`_var${this.#variables++}`);
  }
}

function withoutDot(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

import type { Expression } from "./expressions.ts";
import type { Fold, Nodes } from "./nodes.ts";

/** Why a macro cannot be expanded, and where. */
export class MacroError extends Error {
  override readonly name = "MacroError";
  readonly offset: number;

  constructor({ offset }: Expression, message: string) {
    super(message);
    this.offset = offset;
  }
}

const ACCUMULATOR = "@result";
const FORMER_ACCUMULATOR = "__result__";
const UNUSED = "#unused";
const SORTED = "@__sortBy_input__";

/** A macro call: its target, arguments and position. */
interface MacroCall {
  readonly nodes: Nodes;
  readonly offset: number;
  readonly target: Expression;
  readonly args: readonly Expression[];
}

type Macro = (call: MacroCall) => Expression;

/** Upstream: `parser/macro.go`. */
const MACROS: Readonly<Record<string, Macro>> = {
  "all/2": (call) => all(call, oneVariable(call)),
  "exists/2": (call) => exists(call, oneVariable(call)),
  "exists_one/2": (call) => existsOne(call, oneVariable(call)),
  "map/2": mapMacro,
  "map/3": mapMacro,
  "filter/2": filterMacro,
  "optMap/2": (call) => {
    const fold = optionalFold(call, "optMap");
    return present(call, () => call.nodes.call(call.offset, "optional.of", fold()));
  },
  "optFlatMap/2": (call) => present(call, optionalFold(call, "optFlatMap")),
  "sortBy/2": sortByMacro,
  "all/3": (call) => all(call, twoVariables(call)),
  "exists/3": (call) => exists(call, twoVariables(call)),
  "existsOne/3": (call) => existsOne(call, twoVariables(call)),
  "exists_one/3": (call) => existsOne(call, twoVariables(call)),
  "transformList/3": transformList,
  "transformList/4": transformList,
  "transformMap/3": transformMap,
  "transformMap/4": transformMap,
  "transformMapEntry/3": transformMapEntry,
  "transformMapEntry/4": transformMapEntry,
};

/**
 * The expansion of a method call, if it is a macro.
 *
 * @throws {MacroError} If the macro is used incorrectly.
 */
export function memberMacro(name: string, call: MacroCall): Expression | undefined {
  const key = `${name}/${call.args.length}`;
  return Object.hasOwn(MACROS, key) ? MACROS[key](call) : undefined;
}

/**
 * The expansion of `has(a.b)`.
 *
 * @throws {MacroError} If its argument is not a field selection.
 */
export function hasMacro(nodes: Nodes, offset: number, arg: Expression): Expression {
  if (arg.kind !== "select") throw new MacroError(arg, "invalid argument to has() macro");
  return nodes.test(offset, arg.operand, arg.field);
}

type Variables = Pick<Fold, "variable" | "variable2"> & {
  /** The arguments after the variables. */
  readonly rest: readonly Expression[];
};

function checkedVariable(variable: Expression, isNamed: string): string {
  if (variable.kind !== "ident") throw new MacroError(variable, isNamed);
  if (variable.name === ACCUMULATOR || variable.name === FORMER_ACCUMULATOR) {
    throw new MacroError(variable, "iteration variable overwrites accumulator variable");
  }
  return variable.name;
}

function oneVariable({ args }: MacroCall): Variables {
  return { variable: checkedVariable(args[0], "argument must be a simple name"), rest: args.slice(1) };
}

function twoVariables({ args }: MacroCall): Variables {
  for (const arg of args.slice(0, 2)) {
    if (arg.kind !== "ident") throw new MacroError(arg, "argument must be a simple name");
  }
  const [first, second] = args;
  if (first.kind === "ident" && second.kind === "ident" && first.name === second.name) {
    throw new MacroError(second, `duplicate variable name: ${first.name}`);
  }
  return {
    variable: checkedVariable(first, "argument must be a simple name"),
    variable2: checkedVariable(second, "argument must be a simple name"),
    rest: args.slice(2),
  };
}

function fold(
  { nodes, offset, target }: MacroCall,
  { variable, variable2 }: Omit<Variables, "rest">,
  parts: Pick<Fold, "init" | "condition" | "step"> & Partial<Fold>,
): Expression {
  const accumulator = ACCUMULATOR;
  const result = parts.result ?? nodes.ident(offset, accumulator);
  return nodes.comprehension(offset, { range: target, variable, variable2, accumulator, ...parts, result });
}

function all(call: MacroCall, { rest: [predicate], ...variables }: Variables): Expression {
  const { nodes, offset } = call;
  const so = () => nodes.ident(offset, ACCUMULATOR);
  return fold(call, variables, {
    init: nodes.literal(offset, "bool", "true"),
    condition: nodes.call(offset, "@not_strictly_false", so()),
    step: nodes.call(offset, "_&&_", so(), predicate),
  });
}

function exists(call: MacroCall, { rest: [predicate], ...variables }: Variables): Expression {
  const { nodes, offset } = call;
  const so = () => nodes.ident(offset, ACCUMULATOR);
  return fold(call, variables, {
    init: nodes.literal(offset, "bool", "false"),
    condition: nodes.call(offset, "@not_strictly_false", nodes.call(offset, "!_", so())),
    step: nodes.call(offset, "_||_", so(), predicate),
  });
}

function existsOne(call: MacroCall, { rest: [predicate], ...variables }: Variables): Expression {
  const { nodes, offset } = call;
  const so = () => nodes.ident(offset, ACCUMULATOR);
  const one = () => nodes.literal(offset, "int", "1");
  return fold(call, variables, {
    init: nodes.literal(offset, "int", "0"),
    condition: nodes.literal(offset, "bool", "true"),
    step: nodes.call(offset, "_?_:_", predicate, nodes.call(offset, "_+_", so(), one()), so()),
    result: nodes.call(offset, "_==_", so(), one()),
  });
}

/** Collects the transformed elements that pass the filter. */
function gather(
  call: MacroCall,
  variables: Omit<Variables, "rest">,
  what: Expression,
  filter?: Expression,
): Expression {
  const { nodes, offset } = call;
  const so = () => nodes.ident(offset, ACCUMULATOR);
  const added = nodes.call(offset, "_+_", so(), nodes.list(offset, { value: what, isOptional: false }));
  return fold(call, variables, {
    init: nodes.list(offset),
    condition: nodes.literal(offset, "bool", "true"),
    step: filter ? nodes.call(offset, "_?_:_", filter, added, so()) : added,
  });
}

function mapMacro(call: MacroCall): Expression {
  const variable = checkedVariable(call.args[0], "argument is not an identifier");
  const [what, filter] = call.args.slice(1).reverse();
  return gather(call, { variable }, what, filter);
}

function filterMacro(call: MacroCall): Expression {
  const variable = checkedVariable(call.args[0], "argument is not an identifier");
  return gather(call, { variable }, call.args[0], call.args[1]);
}

function transformList(call: MacroCall): Expression {
  const { rest, ...variables } = twoVariables(call);
  const [what, filter] = rest.toReversed();
  return gather(call, variables, what, filter);
}

function transformMap(call: MacroCall): Expression {
  const variables = twoVariables(call);
  return insert(call, variables, (what) => [call.nodes.ident(call.offset, variables.variable), what]);
}

function transformMapEntry(call: MacroCall): Expression {
  return insert(call, twoVariables(call), (what) => [what]);
}

function insert(
  call: MacroCall,
  { rest, ...variables }: Variables,
  inserted: (what: Expression) => readonly Expression[],
): Expression {
  const { nodes, offset } = call;
  const [what, filter] = rest.toReversed();
  const so = () => nodes.ident(offset, ACCUMULATOR);
  const step = nodes.call(offset, "cel.@mapInsert", so(), ...inserted(what));
  return fold(call, variables, {
    init: nodes.map(offset),
    condition: nodes.literal(offset, "bool", "true"),
    step: filter ? nodes.call(offset, "_?_:_", filter, step, so()) : step,
  });
}

/** Binds a value to a name within an expression. */
function bind({ nodes, offset }: MacroCall, name: string, value: Expression, result: Expression): Expression {
  return nodes.comprehension(offset, {
    range: nodes.list(offset),
    variable: UNUSED,
    accumulator: name,
    init: value,
    condition: nodes.literal(offset, "bool", "false"),
    step: nodes.ident(offset, name),
    result,
  });
}

function optionalFold(call: MacroCall, macro: string): () => Expression {
  const { nodes, offset, target, args: [variable, what] } = call;
  if (variable.kind !== "ident") throw new MacroError(variable, `${macro}() variable name must be a simple identifier`);
  return () => bind(call, variable.name, nodes.member(offset, "value", nodes.copy(target)), what);
}

function present({ nodes, offset, target }: MacroCall, then: () => Expression): Expression {
  const has = nodes.member(offset, "hasValue", target);
  return nodes.call(offset, "_?_:_", has, then(), nodes.call(offset, "optional.none"));
}

/** Upstream: `ext/lists.go` (sortByMacro). */
function sortByMacro(call: MacroCall): Expression {
  const { nodes, offset, target } = call;
  if (target.kind === "literal" || target.kind === "map" || target.kind === "struct") {
    const message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    throw new MacroError(target, message);
  }
  const sorted = () => nodes.ident(offset, SORTED);
  const keys = mapMacro({ ...call, target: sorted() });
  return bind(call, SORTED, target, nodes.member(offset, "@sortByAssociatedKeys", sorted(), keys));
}

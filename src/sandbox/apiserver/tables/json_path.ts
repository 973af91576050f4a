import { isObject } from "../base/mod.ts";

/** Finds values in JSON. */
export type JsonPath = (root: unknown) => unknown[];

/** A step of a path: from a value to the values it leads to. */
type Step = (value: unknown) => unknown[];

/** One side of a filter's comparison. */
type Operand = (value: unknown) => unknown[];

const OPERATORS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<=": (a, b) => difference(a, b) <= 0,
  ">=": (a, b) => difference(a, b) >= 0,
  "<": (a, b) => difference(a, b) < 0,
  ">": (a, b) => difference(a, b) > 0,
};

/** Negative if `a` comes first; NaN if they cannot be ordered. */
function difference(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return typeof a === "string" && typeof b === "string" ? (a < b ? -1 : a > b ? 1 : 0) : NaN;
}

/**
 * Parses a path in the syntax of custom resource definitions: `.spec.size`, `.items[0]`, `.a['b.c']`, `.tags[*]`,
 * `.list[1:3]`, `..name` and `.conditions[?(@.type=="Ready")].status`. Missing fields lead nowhere. Upstream:
 * `client-go/util/jsonpath`.
 *
 * @returns `undefined` if it is invalid.
 *
 * @example
 * ```ts
 * import { parseJsonPath } from "./json_path.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const path = parseJsonPath('.conditions[?(@.type=="Ready")].status');
 * assertEquals(path?.({ conditions: [{ type: "Live" }, { type: "Ready", status: "True" }] }), ["True"]);
 * ```
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  for (let rest = text.trim(); rest !== "";) {
    const parsed = parseStep(rest);
    if (!parsed) return undefined;
    steps.push(parsed.step);
    rest = rest.slice(parsed.length);
  }
  return (root) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [root]);
}

function parseStep(text: string): { step: Step; length: number } | undefined {
  const [recursive, deep] = /^\.\.((?:[^.[\\]|\\.)+)/.exec(text) ?? [];
  if (recursive) return { step: descend(unescape(deep)), length: recursive.length };
  const [named, name] = /^\.?((?:[^.[\\]|\\.)+)/.exec(text) ?? [];
  if (named) return { step: name === "*" ? children : field(unescape(name)), length: named.length };
  // A dot before a bracket, or alone, leads to the value itself.
  if (/^\.($|\[)/.test(text)) return { step: (value) => [value], length: 1 };
  const end = closingBracket(text);
  const step = end > 0 ? parseBrackets(text.slice(1, end).trim()) : undefined;
  return step && { step, length: end + 1 };
}

/** The position of the bracket that closes the first one; skips quotes and nested brackets. */
function closingBracket(text: string): number {
  let depth = 0;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quote) {
      if (character === "\\") i++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return i;
  }
  return -1;
}

function parseBrackets(text: string): Step | undefined {
  const filter = /^\?\((.*)\)$/s.exec(text);
  if (filter) return parseFilter(filter[1]);
  const parts = text.split(",").map((part) => part.trim());
  const steps = parts.map(parsePart);
  if (!steps.every((step) => step !== undefined)) return undefined;
  return (value) => steps.flatMap((step) => step(value));
}

function parsePart(text: string): Step | undefined {
  if (text === "*") return children;
  const [, , quoted] = /^(['"])(.*)\1$/s.exec(text) ?? [];
  if (quoted !== undefined) return field(quoted);
  if (/^-?\d+$/.test(text)) {
    return (value) => Array.isArray(value) && Number(text) in at(value) ? [at(value)[Number(text)]] : [];
  }
  const slice = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(text);
  if (!slice) return undefined;
  const [from, to, step] = slice.slice(1).map((number) => number ? Number(number) : undefined);
  return (value) => Array.isArray(value) ? value.slice(from, to).filter((_, i) => i % (step || 1) === 0) : [];
}

/** List items by index; negative ones count from the end. */
function at(items: readonly unknown[]): Readonly<Record<number, unknown>> {
  return Object.fromEntries([...items.entries()].flatMap(([i, item]) => [[i, item], [i - items.length, item]]));
}

function parseFilter(text: string): Step | undefined {
  const [, left, operator, right] = /^(.*?)(==|!=|<=|>=|<|>)(.*)$/s.exec(text) ?? [];
  const first = parseOperand((left ?? text).trim());
  const second = right === undefined ? undefined : parseOperand(right.trim());
  if (!first || (operator && !second)) return undefined;
  const holds = (item: unknown) => {
    const found = first(item);
    if (!second) return found.length > 0;
    const wanted = second(item);
    return found.length > 0 && wanted.length > 0 && OPERATORS[operator](found[0], wanted[0]);
  };
  return (value) => Array.isArray(value) ? value.filter(holds) : [];
}

function parseOperand(text: string): Operand | undefined {
  if (text.startsWith("@")) return parseJsonPath(text.slice(1));
  const [, , quoted] = /^(['"])(.*)\1$/s.exec(text) ?? [];
  if (quoted !== undefined) return () => [quoted];
  if (text === "true" || text === "false") return () => [text === "true"];
  return text !== "" && Number.isFinite(Number(text)) ? () => [Number(text)] : undefined;
}

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, "$1");
}

function field(name: string): Step {
  return (value) => isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function children(value: unknown): unknown[] {
  return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
}

function descend(name: string): Step {
  const own = name === "*" ? children : field(name);
  const step: Step = (value) => [...own(value), ...children(value).flatMap(step)];
  return step;
}

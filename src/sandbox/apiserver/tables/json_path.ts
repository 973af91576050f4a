import { attempt, isObject } from "../base/mod.ts";

/** Finds values in JSON. */
export type JsonPath = (root: unknown) => unknown[];

/** A step of a path: from a value to the values it leads to. */
type Step = (value: unknown) => unknown[];

const NAME = /^\.?((?:[^.[\\]|\\.)+)/s;
const QUOTED = /^\[(['"])(.*?)\1\]/s;
const RANGE = /^\[(-?\d*)(?:(:)(-?\d*))?\]/;
const COMPARISON = /^@(.*?)(?:(==|!=|<=|>=|<|>)(.*))?$/s;

const OPERATORS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
};

/**
 * Parses a path in the syntax of custom resource definitions: `.spec.size`, `.items[0]`, `.a['b.c']`, `.tags[*]`,
 * `.list[1:3]` and `.conditions[?(@.type=="Ready")].status`. Missing fields lead nowhere. Upstream:
 * `client-go/util/jsonpath`, which also knows `..`, unions and steps.
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

function parseStep(text: string): { readonly step: Step; readonly length: number } | undefined {
  // A dot before a bracket, or alone, leads to the value itself.
  if (/^\.($|\[)/.test(text)) return { step: (value) => [value], length: 1 };
  if (text.startsWith("[*]")) return { step: children, length: 3 };
  const [named, name] = NAME.exec(text) ?? [];
  if (named) return { step: name === "*" ? children : field(name.replace(/\\(.)/gs, "$1")), length: named.length };
  const [quoted, , key] = QUOTED.exec(text) ?? [];
  if (quoted) return { step: field(key), length: quoted.length };
  const [range, from, colon, to] = RANGE.exec(text) ?? [];
  if (range && (from || colon)) {
    const end = colon ? Number(to || Infinity) : Number(from) + 1 || Infinity;
    return { step: (value) => Array.isArray(value) ? value.slice(Number(from), end) : [], length: range.length };
  }
  const length = text.indexOf(")]") + 2;
  const step = text.startsWith("[?(") ? parseFilter(text.slice(3, Math.max(3, length - 2)).trim()) : undefined;
  return step && { step, length };
}

/** The items of a list that have something at a path, or something that compares with a value as given. */
function parseFilter(text: string): Step | undefined {
  const [, path, operator, literal] = COMPARISON.exec(text) ?? [];
  const find = path === undefined ? undefined : parseJsonPath(path);
  const wanted = operator === undefined ? undefined : valueOf(literal.trim());
  if (!find || (operator !== undefined && wanted === undefined)) return undefined;
  const holds = (item: unknown) =>
    find(item).slice(0, 1).some((value) => operator === undefined || OPERATORS[operator](value as number, wanted!));
  return (value) => Array.isArray(value) ? value.filter(holds) : [];
}

/** A text, number or boolean; `undefined` if it is something else. JavaScript compares each as it is meant. */
function valueOf(literal: string): number | undefined {
  return attempt(() => JSON.parse(literal.replace(/^'(.*)'$/s, (_all, text) => JSON.stringify(text))));
}

function field(name: string): Step {
  return (value) => isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function children(value: unknown): unknown[] {
  return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
}

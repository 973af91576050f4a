import { isRawNumber } from "../../../base/mod.ts";
import { isObject } from "../base/mod.ts";
import { goJson } from "./field_errors.ts";

/**
 * A value as Go prints it (`%v`): `map[a:1 b:[x y]]`.
 *
 * @example
 * ```ts
 * import { goText } from "./go_text.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(goText({ b: ["x", null], a: true }), "map[a:true b:[x <nil>]]");
 * ```
 */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (isRawNumber(value)) return value.rawJSON;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).sort().map((key) => `${key}:${goText(value[key])}`);
  return `map[${members.join(" ")}]`;
}

/** What Go calls the type of a JSON value. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isRawNumber(value)) return "int64";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** What Go calls the kind of a JSON value's type. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  return isObject(value) && !isRawNumber(value) ? "map" : goTypeOf(value);
}

/** JSON as upstream's patch library writes it: objects in `sorted` with their members in order, all others as they are. */
export function patchedText(value: unknown, sorted: ReadonlySet<unknown>): string {
  if (Array.isArray(value)) return `[${value.map((item) => patchedText(item, sorted)).join(",")}]`;
  if (!isObject(value) || isRawNumber(value)) return goJson(value);
  const keys = sorted.has(value) ? Object.keys(value).sort() : Object.keys(value);
  return `{${keys.map((key) => `${goJson(key)}:${patchedText(value[key], sorted)}`).join(",")}}`;
}

import type { JSONSchemaProps } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { isMap, isObject } from "../base/mod.ts";
import type { Before, Check, Findings } from "./checks.ts";
import { combinedCheck } from "./combined_checks.ts";
import { formatCheck, isKnownFormat } from "./formats.ts";
import { checkNumber } from "./number_checks.ts";
import { compilePattern } from "./patterns.ts";
import { isSchema } from "./structural.ts";
import { checkType, typeOf, type ValueType } from "./type_checks.ts";

/** A part of a schema, which checks values of some types. */
interface Part {
  readonly of?: readonly ValueType[];
  readonly takesNull?: boolean;
  readonly check: Check;
}

const NUMBERS: readonly ValueType[] = ["integer", "number"];

/** How many matches upstream counts for the checks that every schema makes, whatever their outcome. */
const MATCHES: Readonly<Record<ValueType, number>> = {
  null: 0,
  boolean: 4,
  string: 5,
  integer: 6,
  number: 6,
  array: 6,
  object: 5,
};

/**
 * Compiles the validation of a schema. Its structure (unknown fields, defaults) is {@link structuralOf}'s. Upstream:
 * `kube-openapi/pkg/validation/validate/schema.go`.
 *
 * @example
 * ```ts
 * import { compileSchema } from "./compile.ts";
 * import { Findings } from "./checks.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const check = compileSchema({ type: "integer", maximum: 3 });
 * const found = new Findings();
 * check(4, "spec.size", found);
 * assertEquals(found.problems.map(({ at }) => at), ["spec.size"]);
 * ```
 */
export function compileSchema(schema: JSONSchemaProps): Check {
  const parts = partsOf(schema);
  return (value, path, found, before) => {
    const type = typeOf(value);
    if (type === "null") {
      for (const { takesNull, check } of parts) if (takesNull) check(value, path, found);
      return;
    }
    const known = found.problems.length;
    for (const { of, check } of parts) {
      if (of && !of.includes(type)) continue;
      check(value, path, found, before);
    }
    found.matches += MATCHES[type];
    // Old errors in an unchanged value are accepted.
    if (before && found.problems.length > known && deepEqual(before.value, value)) found.problems.length = known;
  };
}

function partsOf(schema: JSONSchemaProps): Part[] {
  const type = schema.type ?? "";
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const types = isIntOrString ? ["integer", "string"] : type ? [type] : [];
  const format = isKnownFormat(isIntOrString ? "" : type, schema.format ?? "") ? schema.format ?? "" : "";
  const nullable = schema.nullable === true;
  const parts: Part[] = [{
    takesNull: true,
    check: types.length === 0 && !format ? () => {} : (value, path, found) => {
      const type = typeOf(value);
      const known = found.problems.length;
      checkType(type, path, { types, format, nullable }, found);
      found.matches += Number(type !== "null") + Number(found.problems.length === known);
    },
  }];
  const combined = combinedCheck(schema, compileSchema);
  if (combined) parts.push({ check: combined });
  if (schema.minLength !== undefined || schema.maxLength !== undefined || schema.pattern) {
    parts.push({ of: ["string"], check: textCheck(schema) });
  }
  const checkFormat = formatCheck(format);
  if (checkFormat) parts.push({ of: ["string"], check: formatPart(format, checkFormat) });
  const rule = { ...schema, type: isIntOrString ? "" : NUMBERS.find((one) => one === type) ?? "", format };
  parts.push({ of: NUMBERS, check: (value, path, found) => checkNumber(value, path, rule, found) });
  parts.push({ of: ["array"], check: listCheck(schema) });
  if (schema.enum?.length) parts.push({ takesNull: true, check: enumCheck(schema.enum) });
  parts.push({ of: ["object"], check: objectCheck(schema) });
  return parts;
}

/** The number of code points, counted only if the UTF-16 length exceeds the limit. */
function lengthOf(text: string, limit: number): number {
  return text.length <= limit ? text.length : [...text].length;
}

function isShorter(text: string, limit: number): boolean {
  return text.length < limit || (text.length < 2 * limit && [...text].length < limit);
}

function textCheck({ minLength, maxLength, pattern }: JSONSchemaProps): Check {
  const expression = pattern ? compilePattern(pattern) : undefined;
  return (value, path, found) => {
    const text = String(value);
    if (maxLength !== undefined && lengthOf(text, maxLength) > maxLength) {
      found.add(path, (errors, field) => errors.tooLong(field, maxLength));
    } else if (minLength !== undefined && isShorter(text, minLength)) {
      found.invalid(path, value, `should be at least ${minLength} characters long`);
    } else if (expression && !expression.test(text)) {
      found.invalid(path, value, `should match '${pattern}'`);
    }
  };
}

function formatPart(format: string, fits: (text: string) => boolean): Check {
  return (value, path, found) => {
    found.matches++;
    if (typeof value !== "string" || fits(value)) return;
    found.add(path, (errors, field) => errors.typeInvalid(field, value, `must be of type ${format}`));
  };
}

function listCheck({ items, minItems, maxItems, ...schema }: JSONSchemaProps): Check {
  const checkItem = isSchema(items) ? compileSchema(items) : undefined;
  const keys = schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
  return (value, path, found, before) => {
    if (!Array.isArray(value)) return;
    for (let i = 0; checkItem && i < value.length; i++) {
      checkItem(value[i], `${path}[${i}]`, found, before && keys && itemBefore(value[i], keys, before));
    }
    checkCount(value.length, path, { least: minItems, most: maxItems, what: "items" }, found);
  };
}

function checkCount(
  count: number,
  path: string,
  { least = 0, most = Infinity, what }: { readonly least?: number; readonly most?: number; readonly what: string },
  found: Findings,
): void {
  if (count < least) found.invalid(path, count, `should have at least ${least} ${what}`);
  if (count > most) found.add(path, (errors, field) => errors.tooMany(field, count, most));
}

function itemBefore(item: unknown, keys: readonly string[], { value }: Before): Before | undefined {
  if (!Array.isArray(value) || !isObject(item)) return undefined;
  const old = value.find((one) => isObject(one) && keys.every((key) => deepEqual(one[key], item[key])));
  return old === undefined ? undefined : { value: old };
}

function enumCheck(values: readonly unknown[]): Check {
  const texts = values.map((one) => typeof one === "string" ? one : JSON.stringify(one));
  const plain = new Set(values);
  return (value, path, found) => {
    const isKnown = value !== null && (plain.has(value) || values.some((one) => deepEqual(one, value)));
    if (isKnown) return;
    found.add(path, (errors, field) => errors.notSupported(field, value, texts));
  };
}

function objectCheck(schema: JSONSchemaProps): Check {
  const { minProperties: least, maxProperties: most, required = [], additionalProperties } = schema;
  const properties = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, compileSchema(one)] as const);
  const known = new Set(Object.keys(schema.properties ?? {}));
  const checkOther = isSchema(additionalProperties) ? compileSchema(additionalProperties) : undefined;
  const forbidsOthers = additionalProperties === false;
  return (value, path, found, before) => {
    if (!isMap(value)) return;
    if (least !== undefined || most !== undefined) {
      checkCount(Object.keys(value).length, path, { least, most, what: "properties" }, found);
    }
    if (checkOther || forbidsOthers) {
      for (const key of Object.keys(value)) {
        if (known.has(key)) continue;
        if (checkOther) checkOther(value[key], `${path}.${key}`, found, memberBefore(before, key));
        else found.invalid(path, key, "is a forbidden property");
      }
    }
    for (const [name, check] of properties) {
      if (!Object.hasOwn(value, name)) continue;
      check(value[name], path === "" ? name : `${path}.${name}`, found, memberBefore(before, name));
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) found.add(`${path}.${name}`, (errors, field) => errors.required(field));
    }
  };
}

function memberBefore(before: Before | undefined, name: string): Before | undefined {
  if (!before || !isObject(before.value) || !Object.hasOwn(before.value, name)) return undefined;
  return { value: before.value[name] };
}

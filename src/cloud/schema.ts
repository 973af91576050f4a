import { parseAddress } from "../ip/mod.ts";

/** The default limit. */
const MAX_TEXT = 4096;

interface Described {
  readonly description?: string;
}

/**
 * A schema for JSON or YAML from outside: the part of JSON Schema that is needed here, so that one table both checks
 * and documents values.
 */
export type Schema =
  | (Described & { readonly type: "boolean" | "null" })
  | (Described & { readonly type: "integer"; readonly minimum: number; readonly maximum: number })
  | (Described & {
    readonly type: "string";
    readonly enum?: readonly string[];
    readonly format?: "ip";
    readonly pattern?: RegExp;
    readonly minLength?: number;
    /** 4096 if absent. */
    readonly maxLength?: number;
  })
  | (Described & {
    readonly type: "array";
    readonly items: Schema;
    readonly minItems?: number;
    readonly maxItems: number;
  })
  | ObjectSchema
  | (Described & { readonly type: "object"; readonly additionalProperties: Schema; readonly maxProperties: number })
  | (Described & { readonly anyOf: readonly [Schema, { readonly type: "null" }] });

/** An object with known members. */
export interface ObjectSchema extends Described {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A value does not match its schema. The message says where, what it must be, and what it is. */
export class SchemaError extends TypeError {
  override readonly name = "SchemaError";
}

/** How values are read. */
export interface ReadOptions {
  /** The value's path for messages, such as `result`. */
  readonly at: string;
  /** Whether unknown members are an error, as in documents that people write; otherwise they are dropped. */
  readonly isStrict?: boolean;
}

/**
 * Checks `value` and returns a copy of the parts that `schema` knows.
 *
 * @throws {SchemaError} If it does not match.
 *
 * @example
 * ```ts
 * import { readBySchema } from "./schema.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const schema = { type: "object", properties: { ip: { type: "string", format: "ip" } } } as const;
 * assertEquals(readBySchema(schema, { ip: "10.0.0.1", other: 1 }, { at: "result" }), { ip: "10.0.0.1" });
 * assertThrows(() => readBySchema(schema, { ip: 7 }, { at: "result" }), TypeError, "result.ip must be a string, not a number");
 * ```
 */
export function readBySchema(schema: Schema, value: unknown, options: ReadOptions): unknown {
  if ("anyOf" in schema) return value === null ? null : readBySchema(schema.anyOf[0], value, options);
  const { at } = options;
  switch (schema.type) {
    case "null":
      if (value !== null) throw wrong(at, "null", value);
      return null;
    case "boolean":
      if (typeof value !== "boolean") throw wrong(at, "true or false", value);
      return value;
    case "integer": {
      const { minimum, maximum } = schema;
      const isInteger = typeof value === "number" && Number.isInteger(value) && minimum <= value && value <= maximum;
      if (!isInteger) throw wrong(at, `a whole number from ${minimum} to ${maximum}`, value);
      return value;
    }
    case "string":
      return readText(schema, value, at);
    case "array":
      return readList(schema, value, options);
    case "object":
      return "properties" in schema ? readObject(schema, value, options) : readMap(schema, value, options);
  }
}

function readText(schema: Extract<Schema, { readonly type: "string" }>, value: unknown, at: string): string {
  if (typeof value !== "string") throw wrong(at, "a string", value);
  const { format, pattern, minLength = 0, maxLength = MAX_TEXT } = schema;
  if (value.length > maxLength) {
    throw new SchemaError(`${at} must have at most ${maxLength} characters, not ${value.length}`);
  }
  if (value.length < minLength) throw new SchemaError(`${at} must not be empty`);
  if (schema.enum && !schema.enum.includes(value)) throw wrong(at, `one of ${schema.enum.join(", ")}`, value);
  if (format === "ip" && !parseAddress(value)) throw wrong(at, "an IP address", value);
  if (pattern && !pattern.test(value)) throw wrong(at, `of the form ${pattern.source}`, value);
  return value;
}

function readList(
  { items, minItems = 0, maxItems }: Extract<Schema, { readonly type: "array" }>,
  value: unknown,
  { at, isStrict }: ReadOptions,
): unknown[] {
  if (!Array.isArray(value)) throw wrong(at, "a list", value);
  if (value.length > maxItems) {
    throw new SchemaError(`${at} must have at most ${maxItems} entries, not ${value.length}`);
  }
  if (value.length < minItems) throw new SchemaError(`${at} must not be empty`);
  return value.map((item, i) => readBySchema(items, item, { at: `${at}[${i}]`, isStrict }));
}

function readObject(
  { properties, required = [] }: ObjectSchema,
  value: unknown,
  { at, isStrict }: ReadOptions,
): unknown {
  if (!isObject(value)) throw wrong(at, "an object", value);
  if (isStrict) {
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(properties, key));
    if (unknown !== undefined) {
      throw new SchemaError(`${member(at, unknown)} is an unknown field: ${known(properties)}`);
    }
  }
  const missing = required.find((key) => !Object.hasOwn(value, key) || value[key] === undefined);
  if (missing !== undefined) throw new SchemaError(`${member(at, missing)} is missing`);
  const entries = Object.entries(properties).flatMap(([key, schema]) =>
    Object.hasOwn(value, key) && value[key] !== undefined
      ? [[key, readBySchema(schema, value[key], { at: member(at, key), isStrict })]]
      : []
  );
  return Object.fromEntries(entries);
}

function readMap(
  { additionalProperties, maxProperties }: { readonly additionalProperties: Schema; readonly maxProperties: number },
  value: unknown,
  { at, isStrict }: ReadOptions,
): unknown {
  if (!isObject(value)) throw wrong(at, "an object", value);
  const entries = Object.entries(value);
  if (entries.length > maxProperties) {
    throw new SchemaError(`${at} must have at most ${maxProperties} members, not ${entries.length}`);
  }
  return Object.fromEntries(entries.map(([key, each]) => [
    key,
    readBySchema(additionalProperties, each, { at: `${at}[${shown(key)}]`, isStrict }),
  ]));
}

function known(properties: Readonly<Record<string, Schema>>): string {
  return `there are ${Object.keys(properties).join(", ")}`;
}

function member(at: string, key: string): string {
  const name = /^\w{1,64}$/.test(key) ? key : shown(key);
  return at === "" ? name : `${at}.${name}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function wrong(at: string, wanted: string, value: unknown): SchemaError {
  return new SchemaError(`${at === "" ? "the document" : at} must be ${wanted}, not ${described(value)}`);
}

function described(value: unknown): string {
  if (typeof value === "string") return shown(value);
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Short, in quotes, on one line. */
function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}

import { FIELDS } from "./generated_fields.ts";

/** JSON values that are not composed of others, as their Go types read and write them. */
export type ScalarType =
  | "string"
  | "bytes"
  | "int32"
  | "int64"
  | "number"
  | "boolean"
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "raw";

/** The type of a value. */
export type ValueType =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | { readonly kind: "list"; readonly item: ValueType }
  | { readonly kind: "map"; readonly item: ValueType }
  | { readonly kind: "struct"; readonly struct: StructType }
  | EitherType;

/** What is a struct or something else, as keywords of JSON schemas are. */
export interface EitherType {
  readonly kind: "either";
  readonly struct: StructType;
  readonly or: "boolean" | "strings" | "schemas";
}

/** A struct of the built-in API. */
export interface StructType {
  /** Group, version and name: `core.v1.PodSpec`. */
  readonly name: string;
  readonly atomic: boolean;
  /** In the order in which Go writes them. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Those that are written even when empty, in the same order. */
  readonly always: readonly Field[];
}

const SCALARS: ReadonlySet<string> = new Set<ScalarType>(
  ["string", "bytes", "int32", "int64", "number", "boolean", "quantity", "intOrString", "time", "microTime", "raw"],
);

const structs = new Map<string, StructType>();

/**
 * The struct of that name, or `undefined` if the API has none.
 *
 * @example
 * ```ts
 * import { structOf } from "./types.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(structOf("core.v1.PodSpec")?.fields.get("containers")?.mergeKey, "name");
 * ```
 */
export function structOf(name: string): StructType | undefined {
  const known = structs.get(name);
  if (known) return known;
  const text = FIELDS[name];
  if (text === undefined) return undefined;
  const fields = new Map<string, Field>();
  const always: Field[] = [];
  const struct = { name, atomic: text.startsWith("atomic;"), fields, always };
  // Registered before its fields are read, since types may contain themselves.
  structs.set(name, struct);
  for (const part of text.replace(/^atomic;/, "").split(" ")) {
    if (part === "") continue;
    const field = new Field(part, fields.size);
    fields.set(field.name, field);
    if (field.always) always.push(field);
  }
  return struct;
}

/** The struct of a kind: `apps/v1`, `Deployment` -> `apps.v1.Deployment`. Types are named after their group's first part. */
export function structOfKind(
  { group, version }: { readonly group: string; readonly version: string },
  kind: string,
): StructType | undefined {
  return structOf(`${group.split(".")[0] || "core"}.${version}.${kind}`);
}

/** One field of a struct. All are of one class, because every value that is read meets them. */
export class Field {
  readonly name: string;
  /** Its place in the order in which Go writes them. */
  readonly index: number;
  /** A pointer in Go: an explicit zero is kept. */
  readonly pointer: boolean;
  /** Written even when empty. */
  readonly always: boolean;
  /** Strategic merge patch: the list merges, by this key; empty for lists of scalars. */
  readonly mergeKey?: string;
  readonly retainKeys: boolean;
  /** Strategic merge patch replaces the map instead of merging it. */
  readonly replace: boolean;
  /** Apply: a set of scalars. */
  readonly set: boolean;
  /** Apply: the keys that tell the list's items apart. */
  readonly keys?: readonly string[];
  /** Apply: one owner for the whole value. */
  readonly atomic: boolean;
  /** The values that it, or an item of it, can have; absent where the schema does not list them. */
  readonly values?: readonly string[];
  /** Protobuf field numbers that lead to it, more than one below embedded structs; empty where it is not encoded. */
  readonly numbers: readonly number[];
  readonly #code: string;
  #type: ValueType | undefined;

  /** @param text Name, type and flags, as in the table. */
  constructor(text: string, index: number) {
    const [name, code, flagText = ""] = text.split(":");
    const flags = flagText.split(",");
    const option = (key: string) => flags.find((flag) => flag.startsWith(`${key}=`))?.slice(key.length + 1);
    this.name = name;
    this.index = index;
    this.pointer = flags.includes("pointer");
    this.always = flags.includes("always");
    this.mergeKey = option("merge");
    this.retainKeys = flags.includes("retainKeys");
    this.replace = flags.includes("replace");
    this.set = flags.includes("set");
    this.keys = option("keys")?.split("+");
    this.atomic = flags.includes("atomic");
    this.values = option("enum")?.replaceAll("~", " ").split("|");
    this.numbers = option("number")?.split(".").map(Number) ?? [];
    this.#code = code;
  }

  /** Read when it is asked for: a Pod must not load every type that a Pod could ever contain. */
  get type(): ValueType {
    return this.#type ??= parseType(this.#code);
  }
}

function parseType(code: string): ValueType {
  if (code.startsWith("[]")) return { kind: "list", item: parseType(code.slice(2)) };
  if (code.startsWith("{}")) return { kind: "map", item: parseType(code.slice(2)) };
  if (SCALARS.has(code)) return { kind: "scalar", scalar: code as ScalarType };
  const [or, name = ""] = code.split("|");
  if (name) return { kind: "either", struct: structOf(name)!, or: or as EitherType["or"] };
  if (!code.includes(".")) throw new Error(`No type is called ${code}: correct the table of fields`);
  const struct = structOf(code);
  return struct ? { kind: "struct", struct } : { kind: "scalar", scalar: "raw" };
}

import { FIELDS } from "./generated_fields.ts";

/** Scalars by how their Go types decode and encode them, with their zero values as Go writes them. */
export const ZEROS = {
  string: "",
  bytes: "",
  int32: 0,
  int64: 0,
  number: 0,
  boolean: false,
  quantity: "0",
  intOrString: 0,
  time: null,
  microTime: null,
  raw: null,
} as const;

export type ScalarType = keyof typeof ZEROS;

export type ValueType =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | { readonly kind: "list"; readonly item: ValueType }
  | { readonly kind: "map"; readonly item: ValueType }
  | { readonly kind: "struct"; readonly struct: StructType }
  | EitherType;

/** Either a struct or something else, as keywords of JSON schemas are. */
export interface EitherType {
  readonly kind: "either";
  readonly struct: StructType;
  readonly or: "boolean" | "strings" | "schemas";
}

/** A struct of the built-in API. */
export interface StructType {
  /** Group, version and name, such as `core.v1.PodSpec`. */
  readonly name: string;
  readonly atomic: boolean;
  /** In Go's order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields that are written even when empty, in the same order. */
  readonly always: readonly Field[];
}

const structs = new Map<string, StructType>();

/**
 * The struct with that name, or `undefined` if there is none.
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

/** The struct of a kind: `apps/v1`, `Deployment` -> `apps.v1.Deployment`. Only the group's first part counts. */
export function structOfKind(
  { group, version }: { readonly group: string; readonly version: string },
  kind: string,
): StructType | undefined {
  return structOf(`${group.split(".")[0] || "core"}.${version}.${kind}`);
}

/** A field of a struct. All are of one class, since decoding every value uses them. */
export class Field {
  readonly name: string;
  /** Its position in Go's order. */
  readonly index: number;
  /** Whether it is a pointer in Go, so that an explicit zero is kept. */
  readonly pointer: boolean;
  /** Whether it is written even when empty. */
  readonly always: boolean;
  /** For strategic merge patch: the key by which the list merges; empty for lists of scalars. */
  readonly mergeKey?: string;
  readonly retainKeys: boolean;
  /** For strategic merge patch: the map is replaced instead of merged. */
  readonly replace: boolean;
  /** For apply: a set of scalars. */
  readonly set: boolean;
  /** For apply: the keys that identify the list's items. */
  readonly keys?: readonly string[];
  /** For apply: the whole value has one owner. */
  readonly atomic: boolean;
  /** The allowed values of the field or its items; absent if the schema does not list them. */
  readonly values?: readonly string[];
  /** The path of protobuf field numbers to it: several below embedded structs, none if it is not encoded. */
  readonly numbers: readonly number[];
  readonly #code: string;
  #type: ValueType | undefined;

  /** @param text Name, type and flags in the table's notation. */
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

  /** Resolved on demand: a Pod must not load every type that a Pod could contain. */
  get type(): ValueType {
    return this.#type ??= parseType(this.#code);
  }
}

function parseType(code: string): ValueType {
  if (code.startsWith("[]")) return { kind: "list", item: parseType(code.slice(2)) };
  if (code.startsWith("{}")) return { kind: "map", item: parseType(code.slice(2)) };
  if (Object.hasOwn(ZEROS, code)) return { kind: "scalar", scalar: code as ScalarType };
  const [or, name = ""] = code.split("|");
  if (name) return { kind: "either", struct: structOf(name)!, or: or as EitherType["or"] };
  if (!code.includes(".")) throw new Error(`No type is called ${code}: correct the table of fields`);
  const struct = structOf(code);
  return struct ? { kind: "struct", struct } : { kind: "scalar", scalar: "raw" };
}

import { isObject } from "../base/mod.ts";
import { zeroScalar } from "./scalars.ts";
import type { Field, ScalarType, StructType, ValueType } from "./types.ts";

/** How apply treats a value: its structure, and whether it has a single owner. */
export type Shape =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | StructShape
  | { readonly kind: "map"; readonly isAtomic: boolean; readonly item: Shape }
  | ListShape
  /** A value of unknown type: objects merge, everything else is replaced. */
  | { readonly kind: "untyped"; readonly isAtomic: boolean };

export interface ListShape {
  readonly kind: "list";
  readonly isAtomic: boolean;
  /** The keys that identify items; absent in sets, whose items are identified by their value. */
  readonly keys?: readonly string[];
  /** The defaults of keys that items leave out. */
  readonly keyDefaults?: Readonly<Record<string, unknown>>;
  readonly item: Shape;
}

/** A value with named fields. */
export interface StructShape {
  readonly kind: "struct";
  readonly isAtomic: boolean;
  /** Whether other fields are allowed, too, as in some custom resources. */
  readonly isOpen: boolean;
  hasField(name: string): boolean;
  member(name: string): Member;
}

/** A struct field, and the step to it. */
export interface Member {
  readonly step: string;
  readonly shape: Shape;
}

export const UNTYPED: Shape = { kind: "untyped", isAtomic: false };

/** The shape of Go types whose values are opaque objects. */
const RAW: Shape = { kind: "untyped", isAtomic: true };

/** The fields of a struct, resolved on demand, since types may contain themselves. */
class BuiltInStruct implements StructShape {
  readonly kind = "struct";
  readonly isAtomic: boolean;
  readonly isOpen = false;
  readonly #struct: StructType;
  readonly #members = new Map<string, Member>();

  constructor(struct: StructType) {
    this.#struct = struct;
    this.isAtomic = struct.atomic;
  }

  hasField(name: string): boolean {
    return this.#struct.fields.has(name);
  }

  member(name: string): Member {
    let member = this.#members.get(name);
    if (!member) {
      const field = this.#struct.fields.get(name);
      member = { step: `f:${name}`, shape: field ? shapeOfField(field) : UNTYPED };
      if (field) this.#members.set(name, member);
    }
    return member;
  }
}

const shapes = new WeakMap<StructType, StructShape>();

export function shapeOf(struct: StructType): StructShape {
  let shape = shapes.get(struct);
  if (!shape) shapes.set(struct, shape = new BuiltInStruct(struct));
  return shape;
}

/** The defaults of missing keys: a port's protocol is TCP, fields that are always written are empty. */
function keyDefaultsOf(keys: readonly string[], item: ValueType): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const key of keys) {
    const field = item.kind === "struct" ? item.struct.fields.get(key) : undefined;
    if (key === "protocol") defaults[key] = "TCP";
    else if (field?.always && !field.pointer && field.type.kind === "scalar") {
      defaults[key] = zeroScalar(field.type.scalar);
    }
  }
  return defaults;
}

/** The shape of a field, from its type and its own extensions. */
function shapeOfField(field: Field): Shape {
  const { type, atomic, set, keys } = field;
  if (type.kind === "list") {
    const item = shapeOfType(type.item);
    if (set) return { kind: "list", isAtomic: false, item };
    return {
      kind: "list",
      isAtomic: keys === undefined || atomic,
      keys: keys && [...keys].sort(),
      keyDefaults: keys && keyDefaultsOf(keys, type.item),
      item,
    };
  }
  const shape = shapeOfType(type);
  if (!atomic || !("isAtomic" in shape) || shape.isAtomic) return shape;
  if (shape.kind === "struct") return new BuiltInStruct({ ...structOfType(type), atomic: true });
  return { ...shape, isAtomic: true };
}

function structOfType(type: ValueType): StructType {
  if (type.kind !== "struct") throw new Error("A field that is a struct must be of a struct type; fix the field table");
  return type.struct;
}

function shapeOfType(type: ValueType): Shape {
  switch (type.kind) {
    case "struct":
      return shapeOf(type.struct);
    case "map":
      return { kind: "map", isAtomic: false, item: shapeOfType(type.item) };
    case "list":
      return { kind: "list", isAtomic: true, item: shapeOfType(type.item) };
    case "either":
      return RAW;
    case "scalar":
      return type.scalar === "raw" ? RAW : { kind: "scalar", scalar: type.scalar };
  }
}

/** The shape of an object's member. */
export function memberOf(shape: Shape, name: string): Member {
  if (shape.kind === "struct") return shape.member(name);
  return { step: `f:${name}`, shape: shape.kind === "map" ? shape.item : UNTYPED };
}

/** The step to an item of a list, without keys that the item lacks. */
export function itemStep(item: unknown, list: Pick<ListShape, "keys" | "keyDefaults">): string {
  const { keys } = list;
  if (!keys) return `v:${JSON.stringify(item)}`;
  const values = keys.map((key) => keyValue(item, key, list));
  if (keys.length === 1 && values[0] !== undefined) {
    return `k:{${JSON.stringify(keys[0])}:${JSON.stringify(values[0])}}`;
  }
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key, i) => [key, values[i]])))}`;
}

/** An item's value for a key of its list, or the key's default. */
export function keyValue(item: unknown, key: string, { keyDefaults }: Pick<ListShape, "keyDefaults">): unknown {
  const value = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
  return value === undefined ? keyDefaults?.[key] : value;
}

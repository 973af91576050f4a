import { isObject } from "../base/mod.ts";
import { zeroScalar } from "./scalars.ts";
import type { Field, ScalarType, StructType, ValueType } from "./types.ts";

/** How apply treats a value: what it is made of, and whether it has one owner as a whole. */
export type Shape =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | StructShape
  | { readonly kind: "map"; readonly isAtomic: boolean; readonly item: Shape }
  | ListShape
  /** Of a type that is not known: objects merge, everything else is replaced. */
  | { readonly kind: "untyped"; readonly isAtomic: boolean };

export interface ListShape {
  readonly kind: "list";
  readonly isAtomic: boolean;
  /** The keys that tell items apart; absent in sets, whose items are told apart by their value. */
  readonly keys?: readonly string[];
  /** What keys are that an item leaves out. */
  readonly keyDefaults?: Readonly<Record<string, unknown>>;
  readonly item: Shape;
}

/** A value with named fields. */
export interface StructShape {
  readonly kind: "struct";
  readonly isAtomic: boolean;
  /** Whether fields that the struct does not have may be there nevertheless, as in some custom resources. */
  readonly isOpen: boolean;
  hasField(name: string): boolean;
  member(name: string): Member;
}

/** A field of a struct, and the step that leads to it. */
export interface Member {
  readonly step: string;
  readonly shape: Shape;
}

/** Of values of which nothing is known. */
export const UNTYPED: Shape = { kind: "untyped", isAtomic: false };

/** Go types whose values are objects of which nothing is known. */
const RAW: Shape = { kind: "untyped", isAtomic: true };

/** A struct's fields, each looked up when it is needed: types may contain themselves. */
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

/** The shape of values of a type. */
export function shapeOf(struct: StructType): StructShape {
  let shape = shapes.get(struct);
  if (!shape) shapes.set(struct, shape = new BuiltInStruct(struct));
  return shape;
}

/** What fields are that tell items apart and are not there: a port without a protocol is a TCP port, what is always written is empty. */
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

/** The shape of one field, as the type and the field's own marks say. */
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

/** The part of a value's shape that is below a member of an object. */
export function memberOf(shape: Shape, name: string): Member {
  if (shape.kind === "struct") return shape.member(name);
  return { step: `f:${name}`, shape: shape.kind === "map" ? shape.item : UNTYPED };
}

/** The step that leads to an item of a list. Keys that an item does not have are left out. */
export function itemStep(item: unknown, list: Pick<ListShape, "keys" | "keyDefaults">): string {
  const { keys } = list;
  if (!keys) return `v:${JSON.stringify(item)}`;
  const values = keys.map((key) => keyValue(item, key, list));
  if (keys.length === 1 && values[0] !== undefined) {
    return `k:{${JSON.stringify(keys[0])}:${JSON.stringify(values[0])}}`;
  }
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key, i) => [key, values[i]])))}`;
}

/** What an item has for one of the keys of its list, or stands for if it has nothing. */
export function keyValue(item: unknown, key: string, { keyDefaults }: Pick<ListShape, "keyDefaults">): unknown {
  const value = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
  return value === undefined ? keyDefaults?.[key] : value;
}

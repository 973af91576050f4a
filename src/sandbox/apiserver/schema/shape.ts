import { isObject } from "../base/mod.ts";
import { type Field, type ScalarType, type StructType, type ValueType, ZEROS } from "./types.ts";

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

/** A value with named fields, whose shapes are made on demand, since types may contain themselves. */
export class StructShape {
  readonly kind = "struct";
  readonly isAtomic: boolean;
  /** Whether other fields are allowed, too, as in some custom resources. */
  readonly isOpen: boolean;
  readonly #fields: ReadonlyMap<string, () => Shape>;
  readonly #members = new Map<string, Member>();

  constructor(fields: ReadonlyMap<string, () => Shape>, isAtomic: boolean, isOpen: boolean) {
    this.#fields = fields;
    this.isAtomic = isAtomic;
    this.isOpen = isOpen;
  }

  hasField(name: string): boolean {
    return this.#fields.has(name);
  }

  member(name: string): Member {
    let member = this.#members.get(name);
    if (!member) {
      const makeShape = this.#fields.get(name);
      member = { step: `f:${name}`, shape: makeShape?.() ?? UNTYPED };
      if (makeShape) this.#members.set(name, member);
    }
    return member;
  }
}

/** A struct field, and the step to it. */
export interface Member {
  readonly step: string;
  readonly shape: Shape;
}

export const UNTYPED: Shape = { kind: "untyped", isAtomic: false };

/** The shape of Go types whose values are opaque objects. */
const RAW: Shape = { kind: "untyped", isAtomic: true };

const shapes = new WeakMap<StructType, StructShape>();

export function shapeOf(struct: StructType): StructShape {
  let shape = shapes.get(struct);
  if (!shape) shapes.set(struct, shape = structShape(struct, struct.atomic));
  return shape;
}

function structShape({ fields }: StructType, isAtomic: boolean): StructShape {
  const makers = Array.from(fields, ([name, field]) => [name, () => shapeOfField(field)] as const);
  return new StructShape(new Map(makers), isAtomic, false);
}

/** The defaults of missing keys: a port's protocol is TCP, fields that are always written are empty. */
function keyDefaultsOf(keys: readonly string[], item: ValueType): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const key of keys) {
    const field = item.kind === "struct" ? item.struct.fields.get(key) : undefined;
    if (key === "protocol") defaults[key] = "TCP";
    else if (field?.always && !field.pointer && field.type.kind === "scalar") {
      defaults[key] = ZEROS[field.type.scalar];
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
  if (atomic && type.kind === "struct") return structShape(type.struct, true);
  const shape = shapeOfType(type);
  return atomic && shape.kind === "map" ? { ...shape, isAtomic: true } : shape;
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

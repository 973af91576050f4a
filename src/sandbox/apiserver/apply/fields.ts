import { deepEqual } from "../../../base/mod.ts";
import { isObject } from "../json.ts";
import type { Field, StructType, ValueType } from "../schema/types.ts";
import { type FieldSet, fieldSet, LEAF, NO_FIELDS, subtract } from "./field_set.ts";

/** How apply treats a value: what it is made of, and whether it has one owner as a whole. */
export type Shape =
  | { readonly kind: "atom" }
  | { readonly kind: "struct"; readonly struct: StructType }
  | { readonly kind: "map"; readonly item: Shape }
  | { readonly kind: "set" }
  | { readonly kind: "keyed"; readonly keys: readonly string[]; readonly item: Shape }
  /** Of a type that is not known: objects merge, everything else is replaced. */
  | { readonly kind: "untyped" };

const ATOM: Shape = { kind: "atom" };
const UNTYPED: Shape = { kind: "untyped" };

/** The shape of a whole object; `undefined` for custom resources. */
export function shapeOf(struct: StructType | undefined): Shape {
  return struct ? { kind: "struct", struct } : UNTYPED;
}

/** The shape of one field, as the type and the field's own marks say. */
function shapeOfField(field: Field | undefined): Shape {
  if (!field || field.atomic) return field ? ATOM : UNTYPED;
  if (field.type.kind !== "list") return shapeOfType(field.type);
  if (field.set) return { kind: "set" };
  return field.keys ? { kind: "keyed", keys: field.keys, item: shapeOfType(field.type.item) } : ATOM;
}

function shapeOfType(type: ValueType): Shape {
  switch (type.kind) {
    case "struct":
      return type.struct.atomic ? ATOM : { kind: "struct", struct: type.struct };
    case "map":
      return { kind: "map", item: shapeOfType(type.item) };
    default:
      return ATOM;
  }
}

/** A part of a value that apply tells apart from the others. */
interface Part {
  readonly value: unknown;
  readonly shape: Shape;
  /** Whether its being there says something: it is an item, or a field that is not always written. */
  readonly isOptional: boolean;
}

/** The parts of a value, with the step that leads to each; `undefined` for a value that has none. */
function partsOf(value: unknown, shape: Shape): Map<string, Part> | undefined {
  if (isObject(value)) return partsOfObject(value, shape);
  if (!Array.isArray(value)) return undefined;
  if (shape.kind === "set") {
    return new Map(value.map((part) => [`v:${JSON.stringify(part)}`, { value: part, shape: ATOM, isOptional: true }]));
  }
  if (shape.kind !== "keyed") return undefined;
  return new Map(
    value.map((part) => [keyStep(part, shape.keys), { value: part, shape: shape.item, isOptional: true }]),
  );
}

function partsOfObject(value: Record<string, unknown>, shape: Shape): Map<string, Part> | undefined {
  if (shape.kind !== "struct" && shape.kind !== "map" && shape.kind !== "untyped") return undefined;
  const isAlways = (name: string) => shape.kind === "struct" && shape.struct.fields.get(name)?.always === true;
  const present = Object.entries(value).filter(([name, part]) =>
    part !== undefined && (part !== null || isAlways(name))
  );
  return new Map(
    present.map(([name, part]) => [
      `f:${name}`,
      { value: part, shape: childShape(shape, name), isOptional: shape.kind === "struct" && !isAlways(name) },
    ]),
  );
}

/** The shape below an object. */
export function childShape(shape: Shape, name: string): Shape {
  if (shape.kind === "struct") return shapeOfField(shape.struct.fields.get(name));
  return shape.kind === "map" ? shape.item : UNTYPED;
}

/** The step that leads to an item of a keyed list. */
export function keyStep(item: unknown, keys: readonly string[]): string {
  const values = isObject(item) ? item : {};
  // A port without a protocol is a TCP port; the default takes part in the key.
  const valueOf = (key: string) => values[key] ?? (key === "protocol" ? "TCP" : undefined);
  return `k:${JSON.stringify(Object.fromEntries([...keys].sort().map((key) => [key, valueOf(key)])))}`;
}

/** Every path that a value holds. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  const parts = partsOf(value, shape);
  if (!parts || parts.size === 0) return LEAF;
  return fieldSet(false, [...parts].map(([step, part]) => [step, wholePart(part)] as const));
}

/** A part with everything below it, and its own path where that says something. */
function wholePart({ value, shape, isOptional }: Part): FieldSet {
  const below = fieldsOf(value, shape);
  return isOptional ? { ...below, own: true } : below;
}

/** Paths of `value` that are new or whose value differs from `old`. */
export function changedFields(old: unknown, value: unknown, shape: Shape): FieldSet {
  if (old === value || deepEqual(old, value)) return NO_FIELDS;
  const before = partsOf(old, shape);
  const parts = partsOf(value, shape);
  if (!parts || !before || parts.size === 0 || before.size === 0) return fieldsOf(value, shape);
  const children = [...parts].map(([step, part]) => {
    const known = before.get(step);
    return [step, known ? changedFields(known.value, part.value, part.shape) : wholePart(part)] as const;
  });
  return fieldSet(false, children);
}

const UNTRACKED_METADATA = [
  "name",
  "namespace",
  "uid",
  "generation",
  "resourceVersion",
  "creationTimestamp",
  "selfLink",
  "managedFields",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

const UNTRACKED = fieldSet(false, [
  ["f:apiVersion", LEAF],
  ["f:kind", LEAF],
  ["f:metadata", fieldSet(true, UNTRACKED_METADATA.map((name) => [`f:${name}`, LEAF] as const))],
]);

/** Without the paths that nobody owns: identity and what the server writes. */
export function tracked(set: FieldSet): FieldSet {
  return subtract(set, UNTRACKED);
}

/** Without status, which a write to the main resource does not set. */
export function withoutStatus(set: FieldSet): FieldSet {
  const children = [...set.children].filter(([step]) => step !== "f:status");
  return fieldSet(set.own, children);
}

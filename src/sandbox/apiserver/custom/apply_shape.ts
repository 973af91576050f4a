import {
  type Member,
  type ScalarType,
  type Shape,
  shapeOf,
  structOf,
  type StructShape,
  UNTYPED,
} from "../schema/mod.ts";
import type { Structural } from "./structural.ts";

const TEXT: Shape = { kind: "scalar", scalar: "string" };

const META_SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["apiVersion", TEXT],
  ["kind", TEXT],
  ["metadata", shapeOf(structOf("meta.v1.ObjectMeta")!)],
]);

/** The apply types of scalars. */
const SCALARS: Readonly<Record<string, ScalarType>> = { integer: "int64", number: "number", boolean: "boolean" };

/** The shape of an object with a schema; fields are resolved on demand. */
class SchemaShape implements StructShape {
  readonly kind = "struct";
  readonly isAtomic: boolean;
  readonly isOpen: boolean;
  readonly #structural: Structural;
  readonly #hasMeta: boolean;
  readonly #members = new Map<string, Member>();

  constructor(structural: Structural, isOpen: boolean, hasMeta: boolean) {
    this.#structural = structural;
    this.isAtomic = structural.mapType === "atomic";
    this.isOpen = isOpen;
    this.#hasMeta = hasMeta;
  }

  hasField(name: string): boolean {
    return this.#structural.properties.has(name) || (this.#hasMeta && META_SHAPES.has(name));
  }

  member(name: string): Member {
    let member = this.#members.get(name);
    if (!member) {
      member = { step: `f:${name}`, shape: this.#shapeOf(name) };
      if (this.hasField(name)) this.#members.set(name, member);
    }
    return member;
  }

  #shapeOf(name: string): Shape {
    const meta = this.#hasMeta ? META_SHAPES.get(name) : undefined;
    const property = this.#structural.properties.get(name);
    return meta ?? (property ? schemaShape(property, this.isOpen) : UNTYPED);
  }
}

/**
 * The shape that server-side apply uses for objects of a schema. Upstream: `kube-openapi/pkg/schemaconv/openapi.go`,
 * which reads the published schema.
 */
export function objectShape(structural: Structural): StructShape {
  return new SchemaShape(structural, structural.preservesUnknown, true);
}

/** @param isOpen Whether a parent keeps unknown fields, so that everything below does, too. */
function schemaShape(structural: Structural, isOpen: boolean): Shape {
  const { type, preservesUnknown, mapType, properties, additional, isEmbedded } = structural;
  const opens = isOpen || preservesUnknown;
  if (type === "array") return listShape(structural, opens);
  if (type === "string") return stringShape(structural);
  if (SCALARS[type]) return { kind: "scalar", scalar: SCALARS[type] };
  if (type !== "object") return UNTYPED;
  const isAtomic = mapType === "atomic";
  if (additional?.schema) return { kind: "map", isAtomic, item: schemaShape(additional.schema, opens) };
  if (additional?.allows === false) return new SchemaShape(structural, false, isEmbedded);
  // An object without a description may hold anything.
  if (properties.size === 0 && !isEmbedded) return { kind: "map", isAtomic, item: UNTYPED };
  return new SchemaShape(structural, opens, isEmbedded);
}

/** Strings with a format may be any scalar. */
function stringShape({ format }: Structural): Shape {
  return format === "" || format === "byte" ? TEXT : { kind: "scalar", scalar: "intOrString" };
}

function listShape({ items, listType, listKeys }: Structural, isOpen: boolean): Shape {
  const item = items ? schemaShape(items, isOpen) : UNTYPED;
  if (listType === "set") return { kind: "list", isAtomic: false, item };
  if (listType !== "map") return { kind: "list", isAtomic: true, item };
  const keyDefaults = Object.fromEntries(
    listKeys.map((key) => [key, items?.properties.get(key)?.default]).filter(([, value]) => value !== undefined),
  );
  return { kind: "list", isAtomic: false, keys: [...listKeys].sort(), keyDefaults, item };
}

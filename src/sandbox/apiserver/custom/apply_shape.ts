import { type ScalarType, type Shape, shapeOf, structOf, StructShape, UNTYPED } from "../schema/mod.ts";
import type { Structural } from "./structural.ts";

const TEXT: Shape = { kind: "scalar", scalar: "string" };

/** The fields of every object. */
const META: ReadonlyArray<readonly [string, () => Shape]> = [
  ["apiVersion", () => TEXT],
  ["kind", () => TEXT],
  ["metadata", () => shapeOf(structOf("meta.v1.ObjectMeta")!)],
];

/** The apply types of scalars. */
const SCALARS: Readonly<Record<string, ScalarType>> = { integer: "int64", number: "number", boolean: "boolean" };

/**
 * The shape that server-side apply uses for objects of a schema. Upstream: `kube-openapi/pkg/schemaconv/openapi.go`,
 * which reads the published schema.
 */
export function objectShape(structural: Structural): StructShape {
  return structShape(structural, structural.preservesUnknown, true);
}

function structShape({ properties, mapType }: Structural, isOpen: boolean, hasMeta: boolean): StructShape {
  const own = Array.from(properties, ([name, property]) => [name, () => schemaShape(property, isOpen)] as const);
  return new StructShape(new Map([...own, ...hasMeta ? META : []]), mapType === "atomic", isOpen);
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
  if (additional?.allows === false) return structShape(structural, false, isEmbedded);
  // An object without a description may hold anything.
  if (properties.size === 0 && !isEmbedded) return { kind: "map", isAtomic, item: UNTYPED };
  return structShape(structural, opens, isEmbedded);
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

import table from "./generated_pod_template.json" with { type: "json" };

/**
 * A Go type reachable from `v1.PodTemplateSpec`. `name` is the type as Go's reflection prints it.
 *
 * Upstream decodes a template into these types before it compares, hashes or stores it, so the rules of Go's zero
 * values decide what is equal; see {@link equalIgnoreHash}, {@link podTemplateHash} and {@link encodePodTemplate}.
 */
export type GoType =
  | { readonly tag: "string" | "bool" | "int" | "time" | "quantity" | "intOrString" | "opaque"; readonly name: string }
  | { readonly tag: "pointer"; readonly name: string; readonly target: GoType }
  | { readonly tag: "slice"; readonly name: string; readonly element: GoType }
  | { readonly tag: "map"; readonly name: string; readonly value: GoType }
  | GoStruct;

/** A Go struct with its fields in the order of their declaration. */
export interface GoStruct {
  readonly tag: "struct";
  readonly name: string;
  readonly fields: readonly GoField[];
}

/** One field of a Go struct. */
export interface GoField {
  readonly goName: string;
  readonly jsonKey: string;
  /** Left out of JSON when it has its zero value. */
  readonly omitEmpty: boolean;
  /** An embedded struct, whose fields appear in the parent's JSON. */
  readonly inlined: boolean;
  readonly type: GoType;
}

const SCALARS: Readonly<
  Record<string, GoType["tag"] & ("string" | "bool" | "int" | "time" | "quantity" | "intOrString")>
> = {
  string: "string",
  bool: "bool",
  int32: "int",
  int64: "int",
  "v1.Time": "time",
  "resource.Quantity": "quantity",
  "intstr.IntOrString": "intOrString",
};

/** What types are made of that are not structs. */
const others: Readonly<Record<string, string>> = table.others;
const structs: Readonly<Record<string, readonly string[]>> = table.structs;
const resolved = new Map<string, GoType>();

/** The type with this name; each name is resolved once, so recursive types are fine. */
function goType(name: string): GoType {
  const known = resolved.get(name);
  if (known) return known;
  if (Object.hasOwn(structs, name)) return goStruct(name);
  const type = resolve(name);
  resolved.set(name, type);
  return type;
}

function goStruct(name: string): GoStruct {
  const fields: GoField[] = [];
  const type: GoStruct = { tag: "struct", name, fields };
  resolved.set(name, type);
  for (const row of structs[name]) {
    const [goName, typeName, jsonKey, flags = ""] = row.split(" ");
    const inlined = flags.includes("i");
    fields.push({ goName, jsonKey, omitEmpty: flags.includes("o"), inlined, type: goType(typeName) });
  }
  return type;
}

function resolve(name: string): GoType {
  if (name.startsWith("*")) return { tag: "pointer", name, target: goType(name.slice(1)) };
  if (name.startsWith("[]")) return { tag: "slice", name, element: goType(name.slice(2)) };
  const map = /^map\[[\w.]+\](.+)$/.exec(others[name] ?? name);
  if (map) return { tag: "map", name, value: goType(map[1]) };
  const scalar = SCALARS[others[name] ?? name];
  // Fields missing from the table (managedFields) are never set in a template.
  return { tag: scalar ?? "opaque", name };
}

/** The type of a pod template. */
export const POD_TEMPLATE_SPEC: GoType = goType(table.root);

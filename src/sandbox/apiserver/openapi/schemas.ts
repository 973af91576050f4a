import { openApiSchemas } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";

/** Any JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Schemas by their full name, such as `io.k8s.api.core.v1.Pod`. */
export type Schemas = ReadonlyMap<string, Json>;

const PREFIX = "#/components/schemas/";

/** A reference to the schema with that name. */
export function refTo(name: string): Json {
  return { $ref: `${PREFIX}${name}` };
}

/** The schemas of the built-in API, read on first use. */
let builtIn: Promise<Schemas> | undefined;

/** The built-in schemas in the form that a server publishes, without descriptions. */
export function builtInSchemas(): Promise<Schemas> {
  return builtIn ??= loadSchemas();
}

async function loadSchemas(): Promise<Schemas> {
  const raw = await openApiSchemas();
  return new Map(Object.entries(raw).map(([name, schema]) => [name, published(schema, raw)]));
}

const ZERO: Readonly<Record<string, unknown>> = { string: "", integer: 0, number: 0, boolean: false };

/** Adds the zero values of list and map items, which servers publish but the file omits. */
function published(schema: Json, all: Readonly<Record<string, Json>>): Json {
  const { properties, ...rest } = schema;
  const out: Record<string, unknown> = { ...rest };
  for (const key of ["items", "additionalProperties"]) {
    if (isObject(out[key])) out[key] = itemSchema(published(out[key], all), all);
  }
  if (!isObject(properties)) return out;
  out.properties = Object.fromEntries(
    Object.entries(properties).map((
      [name, property],
    ) => [name, isObject(property) ? published(property, all) : property]),
  );
  return out;
}

function itemSchema(item: Json, all: Readonly<Record<string, Json>>): Json {
  const { $ref, type, format } = item;
  if (typeof $ref === "string") {
    // Types with a custom encoding, such as quantities, have no zero value in the document.
    return all[$ref.slice(PREFIX.length)]?.type === "object" ? { allOf: [item], default: {} } : item;
  }
  return typeof type === "string" && type in ZERO && format !== "byte" && !("default" in item)
    ? { ...item, default: ZERO[type] }
    : item;
}

/** All schemas that `root` refers to, directly or indirectly. */
export function referredSchemas(root: unknown, schemas: Schemas): Map<string, Json> {
  const found = new Map<string, Json>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (!isObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (key !== "$ref" || typeof item !== "string") {
        look(item);
        continue;
      }
      const name = item.slice(PREFIX.length);
      const schema = schemas.get(name);
      if (!schema || found.has(name)) continue;
      found.set(name, schema);
      look(schema);
    }
  };
  look(root);
  return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
}

import { KUBERNETES_VERSION, openApiSchemas } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";

/** Any JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Schemas by their full name, such as `io.k8s.api.core.v1.Pod`. */
export type Schemas = ReadonlyMap<string, Json>;

const PREFIX = "#/components/schemas/";

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** A reference to the schema with that name. */
export function refTo(name: string): Json {
  return { $ref: `${PREFIX}${name}` };
}

/** What every document begins with. */
export const INFO = { title: "Kubernetes", version: KUBERNETES_VERSION.replaceAll(/^v|\.\d+$/g, "") };

/** The schemas of the built-in API, read on first use. */
let builtIn: Promise<Schemas> | undefined;

/** The built-in schemas in the form that a server publishes, without descriptions. */
export function builtInSchemas(): Promise<Schemas> {
  return builtIn ??= openApiSchemas().then((schemas) => new Map(Object.entries(schemas)));
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

import type { Schema, Schemas } from "./schema.ts";

/** A function of upstream's that makes a schema, and in it a field, and its values. */
const FUNCTION = /^func schema_(\w+)\(ref [\s\S]*?^\}/gm;
const FIELD = /^\t{5}"([^"]+)": \{\n([\s\S]*?)^\t{5}\},/gm;
const VALUES = /^\t+Enum: +\[\]interface\{\}\{(.*)\},$/m;

/**
 * Adds the values that fields may have. Servers publish them; the documents in upstream's repository, which clients are generated from,
 * leave them out, and only the code has them from which servers make theirs.
 *
 * @param source `pkg/generated/openapi/zz_generated.openapi.go`.
 * @throws {Error} If the source does not have a type of the API.
 */
export function addValues(schemas: Schemas, source: string): void {
  const functions = new Map([...source.matchAll(FUNCTION)].map(([text, name]) => [name, text]));
  for (const [name, { properties }] of Object.entries(schemas)) {
    const text = functions.get(functionName(name));
    if (!properties) continue;
    if (!text) {
      if (name.startsWith("io.k8s.api.")) throw new Error(`Upstream's code has no schema of ${name}`);
      continue;
    }
    for (const [, field, body] of text.matchAll(FIELD)) {
      const values = VALUES.exec(body);
      if (values) valueSchema(properties[field]).enum = JSON.parse(`[${values[1]}]`);
    }
  }
}

/** `io.k8s.api.core.v1.Pod` -> `k8sio_api_core_v1_Pod`. */
function functionName(schema: string): string {
  return schema.replace(/^io\.k8s\.[\w-]+\.pkg\./, "pkg.").replace(/^io\.k8s\./, "k8sio.").replaceAll(".", "_");
}

/** The schema of a field's own value, or of its items' or entries' values. */
function valueSchema(schema: Schema): Schema {
  return schema.items ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : schema);
}

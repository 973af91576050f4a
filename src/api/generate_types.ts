import { type Descriptions, HEADER, type Schema, type Schemas } from "./openapi_document.ts";

/** Types whose plain name belongs to the class that computes with them. */
const RENAMED: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "QuantityValue",
};

/**
 * A name for each schema. What servers serve by default is named by itself, so that a new alpha version renames nothing.
 */
export function typeNames(schemas: Schemas, optional: Schemas): Map<string, string> {
  const names = typeNamesOf(schemas);
  const taken = new Set(names.values());
  for (const [name, typeName] of typeNamesOf(optional)) {
    names.set(name, taken.has(typeName) ? prefixed(name) : typeName);
  }
  return names;
}

/** Last part of a schema's name, preceded by its group and version where two kinds share it: `EventsV1Event`. */
function typeNamesOf(schemas: Schemas): Map<string, string> {
  const short = new Map<string, string[]>();
  for (const name of Object.keys(schemas)) {
    const last = name.split(".").at(-1)!;
    short.set(last, [...(short.get(last) ?? []), name]);
  }
  const names = new Map<string, string>();
  for (const [last, all] of short) {
    // Of several, core and then the shortest stable path keeps the plain name.
    const plain = all.find((name) => name.startsWith("io.k8s.api.core.v1.")) ??
      all.find((name) => name.startsWith("io.k8s.apimachinery.") && all.length === 1) ??
      (all.length === 1 ? all[0] : undefined);
    for (const name of all) names.set(name, RENAMED[name] ?? (name === plain ? last : prefixed(name)));
  }
  return names;
}

function prefixed(name: string): string {
  const [last, version, group] = name.split(".").reverse();
  const capital = (text: string) => text[0].toUpperCase() + text.slice(1);
  return capital(group) + capital(version) + last;
}

/** `text` as a comment before a declaration. */
function comment(text: string | undefined, indent = ""): string[] {
  if (!text) return [];
  const lines = text.trim().replaceAll("*/", "*\\/").replaceAll("```", "").replace(/[^\S\n]/g, " ").split("\n");
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** The TypeScript declarations of all schemas. */
export function renderTypes(schemas: Schemas, optional: Schemas, descriptions: Descriptions): string {
  const names = typeNames(schemas, optional);
  const out = [HEADER];
  for (const [name, schema] of [...Object.entries(schemas), ...Object.entries(optional)]) {
    const typeName = names.get(name)!;
    const said = descriptions[name] ?? {};
    if (!schema.properties) {
      out.push(...comment(said[""]), `export type ${typeName} = ${renderType(schema, names)};`);
      continue;
    }
    const kind = schema["x-kubernetes-group-version-kind"]?.[0];
    const fields = Object.entries(schema.properties).flatMap(([key, property]) => {
      const optional = schema.required?.includes(key) ? "" : "?";
      const declared = `  ${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}${optional}: ${
        renderType(property, names)
      };`;
      return [...comment(said[key], "  "), declared];
    });
    const title = kind && `${kind.group || "core"}/${kind.version} ${kind.kind}`;
    const text = [title, said[""]].filter((part) => part).join("\n\n");
    out.push(...comment(text), `export interface ${typeName} {`, ...fields, "}");
  }
  return out.join("\n") + "\n";
}

function renderType(schema: Schema, names: Map<string, string>): string {
  if (schema.$ref) return names.get(schema.$ref.split("/").at(-1)!)!;
  if (schema.allOf) return renderType(schema.allOf[0], names);
  if (schema.oneOf) return schema.oneOf.map((one) => renderType(one, names)).join(" | ");
  // Enumerations grow between releases: an object from a newer server must still type-check.
  if (schema.type === "string") return "string";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "array") return `Array<${renderType(schema.items!, names)}>`;
  if (typeof schema.additionalProperties === "object") {
    return `Record<string, ${renderType(schema.additionalProperties, names)}>`;
  }
  return schema.type === "object" ? "Record<string, unknown>" : "unknown";
}

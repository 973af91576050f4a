import { isUsual, type Schema, type Schemas } from "./schema.ts";

/** Types whose plain name belongs to the class that computes with them. */
const RENAMED: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "QuantityValue",
};

/**
 * A name for each schema. What servers serve by default is named by itself, so that a new alpha version renames
 * nothing.
 */
export function typeNames(schemas: Schemas): Map<string, string> {
  const [usual = [], optional = []] = [true, false].map((wanted) =>
    Object.keys(schemas).filter((name) => isUsual(name) === wanted)
  );
  const names = typeNamesOf(usual);
  const taken = new Set(names.values());
  for (const [name, typeName] of typeNamesOf(optional)) {
    names.set(name, taken.has(typeName) ? prefixed(name) : typeName);
  }
  return names;
}

/** Last part of a schema's name, preceded by its group and version where two kinds share it: `EventsV1Event`. */
function typeNamesOf(schemas: readonly string[]): Map<string, string> {
  const short = new Map<string, string[]>();
  for (const name of schemas) {
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
  const lines = withoutNotes(text).trim().replaceAll("*/", "*\\/").replaceAll("```", "").replace(/[^\S\n]/g, " ").split(
    "\n",
  );
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** Without notes that upstream's authors left themselves, a word in capitals in brackets before each: they tell a reader nothing. */
function withoutNotes(text: string): string {
  return text.replaceAll(/ \([A-Z]+:[^()]*\)/g, "");
}

/** The TypeScript declarations of all schemas, with their documentation. */
export function renderTypes(schemas: Schemas): string {
  const names = typeNames(schemas);
  const out: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const typeName = names.get(name)!;
    if (!schema.properties) {
      out.push(...comment(schema.description), `export type ${typeName} = ${renderType(schema, names)};`);
      continue;
    }
    const kind = schema["x-kubernetes-group-version-kind"]?.[0];
    const fields = Object.entries(schema.properties).flatMap(([key, property]) => {
      const optional = schema.required?.includes(key) ? "" : "?";
      const declared = `  ${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}${optional}: ${
        renderType(property, names)
      };`;
      // These two say the same everywhere.
      const isDescribed = key !== "apiVersion" && key !== "kind";
      return [...isDescribed ? comment(property.description, "  ") : [], declared];
    });
    const title = kind && `${kind.group || "core"}/${kind.version} ${kind.kind}`;
    const text = [title, schema.description].filter((part) => part).join("\n\n");
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

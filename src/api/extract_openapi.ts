/**
 * Writes what `openapi/` adds to the schemas and paths of an API server's defaults: `optional.json`, the groups and versions that
 * servers serve on request only, and `descriptions.json`, the documentation of all types and fields. Both come from the OpenAPI
 * documents of the `k8s.io/kubernetes` module that `tests/controlplane/go.mod` pins.
 *
 * Run when that version changes: `deno run --allow-all src/api/extract_openapi.ts` (needs Go), then `deno task gen`.
 */
import { join } from "@std/path";
import type { Descriptions, Operation, Paths, Schema, Schemas } from "./openapi_document.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, DescribedSchema>> };
}

interface DescribedSchema extends Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

const KEPT = [
  "type",
  "format",
  "enum",
  "$ref",
  "required",
  "x-kubernetes-group-version-kind",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-patch-strategy",
] as const;

/** What types and the rules for them are made from, and nothing else. */
function leanSchema(schema: Schema): Schema {
  const out: Mutable<Schema> = Object.fromEntries(KEPT.flatMap((key) => schema[key] ? [[key, schema[key]]] : []));
  if (schema.allOf) out.allOf = schema.allOf.map(leanSchema);
  if (schema.oneOf) out.oneOf = schema.oneOf.map(leanSchema);
  if (schema.items) out.items = leanSchema(schema.items);
  if (typeof schema.additionalProperties === "object") {
    out.additionalProperties = leanSchema(schema.additionalProperties);
  }
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, leanSchema(one)]),
    );
  }
  return out;
}

/** The parts of `documents` that are neither in `schemas` nor in `paths`. */
export function optionalParts(documents: readonly Document[], schemas: Schemas, paths: Paths) {
  const optional = { schemas: {} as Record<string, Schema>, paths: {} as Record<string, Record<string, Operation>> };
  for (const document of documents) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      if (!schemas[name]) optional.schemas[name] = leanSchema(schema);
    }
    for (const [path, operations] of Object.entries(document.paths)) {
      if (paths[path] || !path.startsWith("/apis/")) continue;
      const rows = Object.entries(operations).filter(([, operation]) => operation["x-kubernetes-action"]);
      if (rows.length === 0) continue;
      optional.paths[path] = Object.fromEntries(rows.map(([method, operation]) => [method, {
        action: operation["x-kubernetes-action"],
        gvk: operation["x-kubernetes-group-version-kind"] ?? null,
      } as Operation]));
    }
  }
  return optional;
}

/** The documentation of every type, under the empty name, and of its fields; `apiVersion` and `kind` say the same everywhere. */
export function descriptionsOf(documents: readonly Document[]): Descriptions {
  const out: Record<string, Record<string, string>> = {};
  for (const document of documents) {
    for (const [name, { description, properties }] of Object.entries(document.components?.schemas ?? {})) {
      const said = out[name] ??= {};
      if (description) said[""] = withoutNotes(description);
      for (const [field, { description }] of Object.entries(properties ?? {})) {
        if (description && field !== "apiVersion" && field !== "kind") said[field] = withoutNotes(description);
      }
    }
  }
  return Object.fromEntries(Object.entries(out).sort(([a], [b]) => a < b ? -1 : 1));
}

/** Without notes that upstream's authors left themselves, a word in capitals in brackets before each: they tell a reader nothing. */
function withoutNotes(description: string): string {
  return description.replaceAll(/ \([A-Z]+:[^()]*\)/g, "");
}

async function moduleFolder(): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("go", {
    args: ["mod", "download", "-json", "k8s.io/kubernetes"],
    cwd: new URL("../../tests/controlplane/", import.meta.url),
  }).output();
  if (!success) throw new Error(`Cannot download k8s.io/kubernetes: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout)).Dir;
}

if (import.meta.main) {
  const folder = new URL("openapi/", import.meta.url);
  const read = async (path: string | URL) => JSON.parse(await Deno.readTextFile(path));
  const published = join(await moduleFolder(), "api/openapi-spec/v3");
  const names = [...Deno.readDirSync(published)].map(({ name }) => name).filter((name) => /^apis?__/.test(name)).sort();
  const documents: Document[] = await Promise.all(names.map((name) => read(join(published, name))));
  const { schemas } = await read(new URL("schemas.json", folder));
  const write = (name: string, value: unknown) =>
    Deno.writeTextFile(new URL(name, folder), JSON.stringify(value, null, 1) + "\n");
  await write("optional.json", optionalParts(documents, schemas, await read(new URL("paths.json", folder))));
  await write("descriptions.json", descriptionsOf(documents));
}

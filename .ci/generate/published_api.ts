import { join } from "@std/path";
import { addValues } from "./field_values.ts";
import type { Paths, Schema, Schemas } from "./schema.ts";

interface Document {
  readonly paths: Paths;
  readonly components?: { readonly schemas?: Schemas };
}

/** What Kubernetes publishes of its API, of all versions that a server can serve. */
export interface PublishedApi {
  readonly schemas: Schemas;
  readonly paths: Paths;
}

/** The OpenAPI documents and the values of fields from the sources of `k8s.io/kubernetes`. */
export async function readPublishedApi(folder: string): Promise<PublishedApi> {
  const documents = join(folder, "api/openapi-spec/v3");
  const names = [...Deno.readDirSync(documents)].map(({ name }) => name).sort();
  const api = joined(
    await Promise.all(names.map(async (name) => JSON.parse(await Deno.readTextFile(join(documents, name))))),
  );
  addValues(api.schemas, await Deno.readTextFile(join(folder, "pkg/generated/openapi/zz_generated.openapi.go")));
  return api;
}

/** All schemas and paths of documents, sorted by name. */
export function joined(documents: readonly Document[]): PublishedApi {
  return {
    schemas: byName(documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {}))),
    paths: byName(documents.flatMap(({ paths }) => Object.entries(paths))),
  };
}

function byName<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}

/** The schemas without documentation, a line each, for servers to publish. */
export function renderSchemas(schemas: Schemas, version: string): string {
  // A field may be called so, too.
  const lean = (key: string, value: unknown) => key === "description" && typeof value === "string" ? undefined : value;
  const row = ([name, schema]: [string, Schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema, lean)}`;
  const rows = Object.entries(schemas).map(row).join(",\n");
  return `{"kubernetes":${JSON.stringify(version)},"schemas":{\n${rows}\n}}\n`;
}

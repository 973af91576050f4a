import { type CustomResourceDefinition, type GroupVersion, groupVersionPath } from "../../../api/mod.ts";
import type { ServerState } from "../operations/mod.ts";
import { isObject } from "../base/mod.ts";
import { customSchemas } from "./custom_schemas.ts";
import { type Kind, pathsOf, type SchemaNames } from "./operations.ts";
import { builtInSchemas, INFO, type Json, META, referredSchemas, refTo, type Schemas } from "./schemas.ts";

const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/**
 * The OpenAPI v3 document of a version: its paths and all schemas they refer to. Unlike upstream's, it has no
 * descriptions, no paths for the deprecated `/watch/` or for streams, and no protobuf, which this server does not
 * produce.
 */
export async function groupVersionDocument(state: ServerState, { group, version }: GroupVersion): Promise<Json> {
  const resources = state.resources.inVersion(group, version);
  const schemas = new Map(await builtInSchemas());
  for (const resource of resources.filter(({ custom }) => custom)) {
    const definition = state.store.get(DEFINITIONS, resource.collection);
    if (!definition) continue;
    const found = customSchemas(resource, definition as unknown as CustomResourceDefinition);
    for (const [name, schema] of found) schemas.set(name, schema);
  }
  const schemaName = namesOf(schemas);
  const root = `${groupVersionPath({ group, version })}/`;
  const described = resources.filter((resource) => schemaName(resource) !== "");
  const paths = Object.fromEntries([
    ...described.flatMap((resource) => pathsOf(resource, schemaName)),
    [root, discoveryPath(group, version)] as const,
  ].sort(([a], [b]) => a < b ? -1 : 1));
  const referred = Array.from(
    referredSchemas(paths, schemas),
    ([name, schema]) => [name, ofVersion(schema, { group, version })],
  );
  return {
    openapi: "3.0.0",
    info: INFO,
    paths,
    components: {
      schemas: Object.fromEntries(referred),
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    },
  };
}

/** The names of schemas by kind; empty if there is none. */
function namesOf(schemas: Schemas): SchemaNames {
  const names = new Map<string, string>();
  for (const [name, schema] of schemas) {
    for (const { group, version, kind } of kindsOf(schema)) names.set(`${group}/${version}/${kind}`, name);
  }
  return ({ group, version, kind }) => names.get(`${group}/${version}/${kind}`) ?? "";
}

function kindsOf(schema: Json): readonly Kind[] {
  const kinds = schema["x-kubernetes-group-version-kind"];
  return Array.isArray(kinds) ? kinds.filter(isKind) : [];
}

function isKind(value: unknown): value is Kind {
  return isObject(value) && typeof value.kind === "string";
}

/** Types that all versions share, such as DeleteOptions, are listed as of this version and of the core one. */
function ofVersion(schema: Json, { group, version }: GroupVersion): Json {
  const [first, ...others] = kindsOf(schema);
  if (others.length === 0) return schema;
  const { kind } = first;
  const core = { group: "", kind, version: "v1" };
  return { ...schema, "x-kubernetes-group-version-kind": group === "" ? [core] : [core, { group, kind, version }] };
}

function discoveryPath(group: string, version: string): Json {
  const content = { "application/json": { schema: refTo(`${META}.APIResourceList`) } };
  const responses = { 200: { description: "OK", content }, 401: { description: "Unauthorized" } };
  return { get: { description: `the resources of ${group || "core"}/${version}`, responses } };
}

import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { type Json, META, refTo } from "./schemas.ts";

const TYPE_META = { apiVersion: { type: "string" }, kind: { type: "string" } };

function metadata(type: "ObjectMeta" | "ListMeta"): Json {
  return { metadata: { allOf: [refTo(`${META}.${type}`)] } };
}

/** The name of a custom kind's schema, such as `com.example.v1.Website`. */
function customSchemaName({ group, version }: Pick<ServedResource, "group" | "version">, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/**
 * The schemas of a custom kind and its list, from its definition. Upstream:
 * `apiextensions-apiserver/pkg/controller/openapi/builder`.
 */
export function customSchemas(resource: ServedResource, definition: CustomResourceDefinition): [string, Json][] {
  const { group, version, kind, listKind } = resource;
  const found = definition.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  const { properties, ...schema } = translated(isObject(found) ? found : {});
  const typed = (of: string) => ({ "x-kubernetes-group-version-kind": [{ group, kind: of, version }] });
  const own = isObject(properties) ? properties : {};
  const items = { type: "array", items: refTo(customSchemaName(resource, kind)) };
  return [
    [customSchemaName(resource, kind), {
      type: "object",
      ...schema,
      properties: { ...own, ...TYPE_META, ...metadata("ObjectMeta") },
      ...typed(kind),
    }],
    [customSchemaName(resource, listKind), {
      type: "object",
      required: ["items"],
      properties: { ...TYPE_META, ...metadata("ListMeta"), items },
      ...typed(listKind),
    }],
  ];
}

/** A definition's schema as published, with Kubernetes' extensions in terms of OpenAPI. */
function translated(schema: Json): Json {
  const out: Record<string, unknown> = { ...schema };
  if (schema["x-kubernetes-int-or-string"] === true) {
    delete out.type;
    out.anyOf ??= [{ type: "integer" }, { type: "string" }];
  }
  for (const key of ["items", "additionalProperties"]) if (isObject(out[key])) out[key] = translated(out[key]);
  if (isObject(schema.properties)) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, isObject(one) ? translated(one) : one]),
    );
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    out.type = "object";
    out.required = [...new Set([...(Array.isArray(out.required) ? out.required : []), "kind", "apiVersion"])];
    const own = isObject(out.properties) ? out.properties : {};
    out.properties = { ...own, ...TYPE_META, ...metadata("ObjectMeta") };
  }
  return out;
}

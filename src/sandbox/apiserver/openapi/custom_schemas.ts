import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { isObject } from "../base/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { type Json, refTo } from "./schemas.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

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
  const meta = (type: string) => ({ metadata: { allOf: [refTo(`${META}.${type}`)] } });
  const names = { apiVersion: { type: "string" }, kind: { type: "string" } };
  const own = isObject(properties) ? properties : {};
  const items = { type: "array", items: refTo(customSchemaName(resource, kind)) };
  return [
    [customSchemaName(resource, kind), {
      type: "object",
      ...schema,
      properties: { ...own, ...names, ...meta("ObjectMeta") },
      ...typed(kind),
    }],
    [customSchemaName(resource, listKind), {
      type: "object",
      required: ["items"],
      properties: { ...names, ...meta("ListMeta"), items },
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
      Object.entries(schema.properties).map((
        [name, property],
      ) => [name, isObject(property) ? translated(property) : property]),
    );
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    out.type = "object";
    out.required = [...new Set([...(Array.isArray(out.required) ? out.required : []), "kind", "apiVersion"])];
    out.properties = {
      ...isObject(out.properties) ? out.properties : {},
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [refTo(`${META}.ObjectMeta`)] },
    };
  }
  return out;
}

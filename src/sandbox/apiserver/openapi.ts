import { apiVersionOf } from "../../api/mod.ts";
import type { ResourceTable } from "./resource_table.ts";

/**
 * `/openapi/v3`: where the document of each version is. kubectl reads it before it applies or creates anything, to learn whether
 * the server validates fields.
 */
export function openApiIndex(table: ResourceTable): object {
  const paths: Record<string, object> = {};
  for (const { group, versions } of table.groups()) {
    for (const version of versions) {
      const path = group ? `apis/${group}/${version}` : `api/${version}`;
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${table.generation}` };
    }
  }
  return { paths };
}

/**
 * The document of one version: no schemas, only what tells kubectl that a kind exists and that `fieldValidation` works. Strategic
 * merge patch is left out on purpose; kubectl would compute patches from schemas that are not there.
 */
export function openApiDocument(table: ResourceTable, group: string, version: string): object | undefined {
  const served = table.inVersion(group, version).filter(({ verbs }) => verbs.includes("patch"));
  if (table.inVersion(group, version).length === 0) return undefined;
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const paths = Object.fromEntries(served.map(({ plural, kind, namespaced }) => [
    `${root}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}/{name}`,
    {
      patch: {
        parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
        requestBody: { content: { "application/merge-patch+json": {}, "application/apply-patch+yaml": {} } },
        responses: {},
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
    },
  ]));
  const title = `Kubernetes ${apiVersionOf({ group, version })}`;
  return { openapi: "3.0.0", info: { title, version: "v1.36.0" }, paths, components: { schemas: {} } };
}

import { assertEquals } from "@std/assert";
import { renderResources } from "../../../.ci/generate/resources.ts";

/** The methods of a path, for a kind. */
function path(group: string, version: string, kind: string, ...methods: readonly (readonly [string, string])[]) {
  const about = { "x-kubernetes-group-version-kind": { group, version, kind } };
  return Object.fromEntries(methods.map(([method, action]) => [method, { "x-kubernetes-action": action, ...about }]));
}

function schema(group: string, version: string, kind: string) {
  return { type: "object", "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}

Deno.test("renderResources writes a constant for each resource, and lists those that servers serve by default", () => {
  const text = renderResources({
    schemas: {
      "io.k8s.api.x.v1.Thing": schema("x.io", "v1", "Thing"),
      "io.k8s.api.x.v1alpha1.Thing": schema("x.io", "v1alpha1", "Thing"),
      "io.k8s.api.x.v1alpha1.Draft": schema("x.io", "v1alpha1", "Draft"),
    },
    paths: {
      "/apis/x.io/v1/": {},
      "/apis/x.io/v1/namespaces/{namespace}/things": path("x.io", "v1", "Thing", ["get", "list"], ["post", "post"]),
      "/apis/x.io/v1/namespaces/{namespace}/things/{name}": path("x.io", "v1", "Thing", ["put", "put"]),
      "/apis/x.io/v1/namespaces/{namespace}/things/{name}/status": path("x.io", "v1", "Thing", ["put", "put"]),
      "/apis/x.io/v1/things": path("x.io", "v1", "Thing", ["get", "list"]),
      "/apis/x.io/v1alpha1/drafts": path("x.io", "v1alpha1", "Draft", ["get", "list"]),
      "/apis/x.io/v1alpha1/things": path("x.io", "v1alpha1", "Thing", ["get", "list"]),
      "/apis/x.io/v1alpha1/unknowns": path("x.io", "v1alpha1", "Unknown", ["get", "list"]),
    },
  });
  const rows = [...text.matchAll(/^export const (\w+): Resource<(\w+)> = (.*);$/gm)].map(([, name, type, row]) => {
    const { namespaced, verbs, subresources } = JSON.parse(row);
    return [name, type, namespaced, verbs.join(" "), subresources.join(" ")];
  });
  assertEquals(rows, [
    ["THINGS", "Thing", true, "list create update watch", "status"],
    ["DRAFTS", "Draft", false, "list watch", ""],
    ["THINGS_V1ALPHA1", "XV1alpha1Thing", false, "list watch", ""],
  ]);
  assertEquals(/BUILT_IN_RESOURCES: readonly Resource\[\] = \[([^\]]*)\]/.exec(text)![1].trim(), "THINGS,");
});

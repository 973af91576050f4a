import { assertStringIncludes, assertThrows } from "@std/assert";
import { renderRoles } from "../../../.ci/generate/roles.ts";

Deno.test("renderRoles writes objects line by line, without what all have in common", () => {
  const file = (name: string) => `
items:
- kind: X
  metadata:
    annotations: { rbac.authorization.kubernetes.io/autoupdate: "true" }
    labels: { kubernetes.io/bootstrapping: rbac-defaults, own: "yes" }
    name: ${name}
  rules: null
`;
  const text = renderRoles(file);
  assertStringIncludes(
    text,
    '\n{"metadata":{"name":"cluster-roles","labels":{"own":"yes"}}}\n{"metadata":{"name":"controller-roles"',
  );
  assertThrows(() => renderRoles((name) => file(name).replace("true", "false")), Error, "annotations of cluster-roles");
});

/** Who may do what in tests of authorization, and requests that are sent as somebody else. */
import type { Answer, Harness } from "../harness.ts";
import type { Rule } from "../../../../../src/sandbox/apiserver/access/access.ts";

export const RBAC = "/apis/rbac.authorization.k8s.io/v1";
export const ROLES = `${RBAC}/namespaces/default/roles`;
export const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;

/** A request with headers that want it to be somebody else's. */
export const as = (user: string, ...groups: string[]) => ({
  headers: { "impersonate-user": user, ...groups.length > 0 ? { "impersonate-group": groups.join(", ") } : {} },
});

/** Gives `rules` in the namespace `default`, or everywhere, to a user. */
export async function grant(
  api: Harness,
  user: string,
  rules: Rule[],
  { name = user, everywhere = false }: { name?: string; everywhere?: boolean } = {},
): Promise<void> {
  const kind = everywhere ? "ClusterRole" : "Role";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user }];
  await api.post(everywhere ? `${RBAC}/clusterroles` : ROLES, { metadata: { name }, rules });
  await api.post(everywhere ? `${RBAC}/clusterrolebindings` : BINDINGS, { metadata: { name }, roleRef, subjects });
}

/** A request of `user`, who is known by a certificate, with headers that want to be somebody else's. */
export async function actingAs(
  api: Harness,
  user: string,
  headers: Record<string, string>,
  path = "/api/v1/nodes",
): Promise<Answer> {
  const certificate = { isVerified: true, commonName: user, organizations: [], fingerprint: "" };
  const response = await api.server.fetch(api.request("GET", path, undefined, { headers }), certificate);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../../src/base/mod.ts";
import { MemoryBackend, Store } from "../../../../../src/sandbox/storage/mod.ts";
import { actingAs, as, BINDINGS, grant, RBAC, ROLES } from "./grants.ts";
import { CONFIG_MAPS, Harness, type Loose, PODS } from "../harness.ts";
import { accessOf } from "../../../../../src/sandbox/apiserver/authorization/request_access.ts";
import { RbacAuthorizer } from "../../../../../src/sandbox/apiserver/authorization/rbac.ts";
import {
  compactRules,
  ruleAllows,
  ruleText,
  uncoveredRules,
} from "../../../../../src/sandbox/apiserver/authorization/rules.ts";
import type { Access, Rule } from "../../../../../src/sandbox/apiserver/access/access.ts";
import { CERTIFICATE_REQUEST } from "../../../../cluster/certificate_request.ts";

const USER = { username: "u", groups: [] };

const asked = (
  access: Partial<Record<keyof Access | "group" | "resource" | "subresource" | "name" | "path", string>>,
) => ({ user: USER, verb: "get", ...access }) as Loose as Access;

Deno.test("ruleAllows matches verbs, groups, resources, subresources, names and paths", () => {
  const rule = (more: Partial<Rule>): Rule => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...more });
  const pods = asked({ group: "", resource: "pods", name: "p" });
  const table: [Rule, Access, boolean][] = [
    [rule({}), pods, true],
    [rule({ verbs: ["*"] }), pods, true],
    [rule({ verbs: ["list"] }), pods, false],
    [rule({ apiGroups: ["*"] }), pods, true],
    [rule({ apiGroups: ["apps"] }), pods, false],
    [rule({ resources: ["*"] }), asked({ group: "", resource: "pods", subresource: "log" }), true],
    [rule({}), asked({ group: "", resource: "pods", subresource: "log" }), false],
    [rule({ resources: ["pods/log"] }), asked({ group: "", resource: "pods", subresource: "log" }), true],
    [rule({ resources: ["*/log"] }), asked({ group: "", resource: "pods", subresource: "log" }), true],
    [rule({ resources: ["*/log"] }), pods, false],
    [rule({ resourceNames: ["p"] }), pods, true],
    [rule({ resourceNames: ["q"] }), pods, false],
    [rule({ resourceNames: ["p"] }), asked({ group: "", resource: "pods" }), false],
    [rule({}), asked({ path: "/pods" }), false],
    [{ verbs: ["get"], nonResourceURLs: ["/api/*"] }, asked({ path: "/api/v1" }), true],
    [{ verbs: ["get"], nonResourceURLs: ["/api/*"] }, asked({ path: "/api" }), false],
    [{ verbs: ["get"], nonResourceURLs: ["*"] }, asked({ path: "/" }), true],
    [{ verbs: ["get"], nonResourceURLs: ["/logs*"] }, asked({ path: "/logs" }), true],
    [{ verbs: ["post"], nonResourceURLs: ["*"] }, asked({ path: "/" }), false],
    [{ verbs: ["get"], nonResourceURLs: ["*"] }, pods, false],
  ];
  for (const [each, access, expected] of table) {
    assertEquals(ruleAllows(each, access), expected, JSON.stringify([each, access]));
  }
});

Deno.test("uncoveredRules lists what nobody has been given, compacted by verbs", () => {
  const owned: Rule[] = [
    { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "*/scale"] },
    { verbs: ["*"], apiGroups: ["apps"], resources: ["*"], resourceNames: ["a"] },
    { verbs: ["get"], nonResourceURLs: ["/x/*"] },
  ];
  const texts = (wanted: Rule[]) => compactRules(uncoveredRules(owned, wanted)).map(ruleText);
  assertEquals(texts([{ verbs: ["get"], apiGroups: [""], resources: ["pods", "deployments/scale"] }]), []);
  assertEquals(texts([{ verbs: ["get"], apiGroups: ["apps"], resources: ["x/y"], resourceNames: ["a"] }]), []);
  assertEquals(texts([{ verbs: ["get"], nonResourceURLs: ["/x/y"] }]), []);
  assertEquals(texts([{ verbs: ["get", "watch", "delete"], apiGroups: [""], resources: ["pods"] }]), [
    '{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}',
  ]);
  assertEquals(texts([{ verbs: ["get"], apiGroups: ["apps"], resources: ["x"], resourceNames: ["a", "b"] }]), [
    '{APIGroups:["apps"], Resources:["x"], ResourceNames:["b"], Verbs:["get"]}',
  ]);
  assertEquals(
    texts([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, { verbs: ["get"], nonResourceURLs: ["/"] }]),
    [
      '{NonResourceURLs:["/"], Verbs:["get"]}',
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
    ],
  );
});

Deno.test("accessOf tells from method and URL alone what is wanted", () => {
  const of = (method: string, path: string) => {
    const { user: _user, ...rest } = accessOf(USER, method, new URL(`http://x${path}`));
    return Object.fromEntries(Object.entries(rest).filter(([key, value]) => value || key === "group"));
  };
  assertEquals(of("GET", "/healthz"), { verb: "get", path: "/healthz" });
  assertEquals(of("HEAD", "/"), { verb: "head", path: "/" });
  assertEquals(of("GET", "/version/"), { verb: "get", path: "/version/" });
  assertEquals(of("GET", "/apis/apps/v1"), { verb: "get", path: "/apis/apps/v1" });
  assertEquals(of("GET", "/api/v1"), { verb: "get", path: "/api/v1" });
  assertEquals(of("GET", "/api/v1/pods"), { verb: "list", group: "", resource: "pods" });
  assertEquals(of("HEAD", "/api/v1/pods"), { verb: "list", group: "", resource: "pods" });
  assertEquals(of("GET", "/api/v1/pods?watch=1"), { verb: "watch", group: "", resource: "pods" });
  assertEquals(of("GET", "/api/v1/pods?watch=false"), { verb: "list", group: "", resource: "pods" });
  assertEquals(of("GET", "/api/v1/pods?fieldSelector=metadata.name%3Da"), {
    verb: "list",
    group: "",
    resource: "pods",
    name: "a",
  });
  assertEquals(of("GET", "/api/v1/pods?fieldSelector=%3D%3D"), { verb: "list", group: "", resource: "pods" });
  assertEquals(of("DELETE", "/api/v1/nodes"), { verb: "deletecollection", group: "", resource: "nodes" });
  assertEquals(of("GET", "/api/v1/namespaces/a"), {
    verb: "get",
    group: "",
    resource: "namespaces",
    namespace: "a",
    name: "a",
  });
  assertEquals(of("PUT", "/api/v1/namespaces/a/finalize"), {
    verb: "update",
    group: "",
    resource: "namespaces",
    namespace: "a",
    name: "a",
    subresource: "finalize",
  });
  assertEquals(of("PATCH", "/apis/apps/v1/namespaces/a/deployments/b/status"), {
    verb: "patch",
    group: "apps",
    resource: "deployments",
    namespace: "a",
    name: "b",
    subresource: "status",
  });
  assertEquals(of("GET", "/apis/apps/v1/watch/namespaces/a/deployments"), {
    verb: "watch",
    group: "apps",
    resource: "deployments",
    namespace: "a",
  });
});

Deno.test("Gate: whatever the user may not do is refused with 403, whether or not it exists", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const refused = async (path: string) => {
    const { status, body } = await api.get(path, as("u"));
    return [status, body.message, body.details];
  };
  assertEquals(await refused(`${PODS}/p/log`), [
    403,
    'pods "p" is forbidden: User "u" cannot get resource "pods/log" in API group "" in the namespace "default"',
    { name: "p", kind: "pods" },
  ]);
  assertEquals(await refused("/apis/none.io/v1/things"), [
    403,
    'things.none.io is forbidden: User "u" cannot list resource "things" in API group "none.io" at the cluster scope',
    { group: "none.io", kind: "things" },
  ]);
  assertEquals(await refused("/metrics"), [403, 'forbidden: User "u" cannot get path "/metrics"', {}]);
  assertEquals((await api.get("/api/v1/%zz", as("u"))).status, 400);
});

Deno.test("Gate: with AlwaysAllow, a request without credentials where they are required can read health and version only; everything else is refused with 401", async () => {
  using api = new Harness({ authentication: "required" });
  const statuses = ["/healthz", "/livez", "/readyz", "/version", "/api", "/api/v1/pods"].map(async (path) =>
    (await api.get(path)).status
  );
  assertEquals(await Promise.all(statuses), [200, 200, 200, 200, 401, 401]);
});

Deno.test("RbacAuthorizer: a rule allows its requests to the user, groups and service accounts its role is bound to", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const bind = (name: string, subject: object) =>
    api.post(BINDINGS, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", ...subject }],
    });
  await api.post(ROLES, {
    metadata: { name: "reader" },
    rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }],
  });
  await bind("a", { kind: "User", name: "jane" });
  await bind("b", { kind: "Group", name: "team" });
  await bind("c", { kind: "ServiceAccount", apiGroup: "", name: "robot", namespace: "default" });
  const list = async (...who: [string, ...string[]]) => (await api.get(CONFIG_MAPS, as(...who))).status;
  assertEquals([await list("jane"), await list("x", "team"), await list("system:serviceaccount:default:robot")], [
    200,
    200,
    200,
  ]);
  assertEquals([await list("joe"), await list("system:serviceaccount:other:robot")], [403, 403]);
  assertEquals((await api.get("/api/v1/configmaps", as("jane"))).status, 403);
  assertEquals((await api.get("/api/v1/namespaces/kube-system/configmaps", as("jane"))).status, 403);
});

Deno.test("RbacAuthorizer: a write to a role or a binding counts from the next decision on", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const allowed = async () => (await api.get(CONFIG_MAPS, as("jane"))).status === 200;
  const rules = (verbs: string[]) => [{ verbs, apiGroups: [""], resources: ["configmaps"] }];
  assertEquals(await allowed(), false);
  await grant(api, "jane", rules(["list"]));
  assertEquals(await allowed(), true);
  await api.patch(`${ROLES}/jane`, { rules: rules(["get"]) });
  assertEquals(await allowed(), false);
  await grant(api, "jane", rules(["list"]), { name: "wide", everywhere: true });
  assertEquals(await allowed(), true);
  await api.delete(`${RBAC}/clusterroles/wide`);
  assertEquals(await allowed(), false);
  await api.patch(`${ROLES}/jane`, { rules: rules(["*"]) });
  assertEquals(await allowed(), true);
  await api.delete(`${BINDINGS}/jane`);
  assertEquals(await allowed(), false);
});

Deno.test("RbacAuthorizer: a decision only looks at the bindings of that user and those groups, however many others there are", () => {
  const store = new Store({ backend: new MemoryBackend(), clock: new FakeWorld().clock });
  const authorizer = new RbacAuthorizer(store);
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
  const [roles, bindings] = ["clusterroles", "clusterrolebindings"].map((plural) =>
    `${plural}.rbac.authorization.k8s.io`
  );
  for (let i = 0; i < 100; i++) {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `role-${i}` };
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `user-${i}` }];
    store.put(roles, `role-${i}`, { metadata: { name: `role-${i}` }, rules });
    store.put(bindings, `binding-${i}`, { metadata: { name: `binding-${i}` }, roleRef, subjects });
  }
  const allowed = (username: string) =>
    authorizer.authorize({ user: { username, groups: [] }, verb: "get", group: "", resource: "pods" }).allowed;
  assertEquals([allowed("user-7"), allowed("nobody")], [true, false]);
  let reads = 0;
  const { get, list } = store;
  Object.assign(store, {
    get: (...args: Parameters<typeof get>) => (reads++, get.apply(store, args)),
    list: (...args: Parameters<typeof list>) => (reads++, list.apply(store, args)),
  });
  assertEquals([allowed("user-8"), allowed("nobody"), reads], [true, false, 0]);
  authorizer.close();
});

Deno.test("RbacAuthorizer: members of system:masters may do everything, and nobody may impersonate into it", async () => {
  using api = new Harness({ authorization: "RBAC" });
  await api.delete(`${RBAC}/clusterrolebindings/cluster-admin`);
  assertEquals((await api.get("/api/v1/nodes", as("x", "system:masters"))).status, 200);
  const impersonate = [
    { verbs: ["impersonate:user-info"], apiGroups: ["*"], resources: ["users", "groups"] },
    { verbs: ["impersonate-on:user-info:list"], apiGroups: ["*"], resources: ["*"] },
  ];
  await grant(api, "ann", impersonate, { everywhere: true });
  const { status, body } = await actingAs(api, "ann", {
    "impersonate-user": "x",
    "impersonate-group": "system:masters",
  });
  assertEquals([status, body.message.endsWith("impersonating the system:masters group is not allowed")], [403, true]);
});

Deno.test("Access reviews name the binding by which something is allowed, and what is dangling", async () => {
  using api = new Harness({ authorization: "RBAC" });
  await grant(api, "jane", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]);
  await api.post(BINDINGS, {
    metadata: { name: "dangling" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "none" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "joe" }],
  });
  const review = async (user: string) => {
    const resourceAttributes = { verb: "get", resource: "pods", namespace: "default" };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return (await api.post(path, { spec: { user, resourceAttributes } })).body.status;
  };
  assertEquals(await review("jane"), {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "jane/default" of Role "jane" to User "jane"',
  });
  assertEquals(await review("joe"), {
    allowed: false,
    reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "none" not found',
  });
  assertEquals(await review("x"), { allowed: false });
});

Deno.test("Roles and bindings give away no more than their writer has", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const pods = (verbs: string[]) => ({ verbs, apiGroups: [""], resources: ["pods"] });
  const write = {
    verbs: ["create", "update"],
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
  };
  await grant(api, "ann", [pods(["get"]), write]);
  const send = (method: string, path: string, body: object, user = "ann") => api.send(method, path, body, as(user));
  const role = (name: string, verbs: string[]) => ({ metadata: { name }, rules: [pods(verbs)] });
  assertEquals((await send("POST", ROLES, role("a", ["get"]))).status, 201);
  const { status, body } = await send("POST", ROLES, role("b", ["get", "delete"]));
  assertEquals([status, body.message], [
    403,
    'roles.rbac.authorization.k8s.io "b" is forbidden: user "ann" (groups=["system:authenticated"]) is attempting to grant ' +
    'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
  ]);
  assertEquals((await send("PUT", `${ROLES}/a`, role("a", ["list"]))).status, 403);
  const bind = (kind: string, name: string) => ({
    metadata: { name: `to-${name}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" }],
  });
  assertEquals((await send("POST", BINDINGS, bind("Role", "a"))).status, 201);
  assertEquals((await send("POST", BINDINGS, bind("ClusterRole", "view"))).status, 403);
  assertEquals((await send("POST", BINDINGS, bind("Role", "none"))).status, 404);
  await grant(api, "ann", [{
    verbs: ["bind", "escalate"],
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "clusterroles"],
  }], { name: "more" });
  assertEquals((await send("POST", BINDINGS, bind("ClusterRole", "view"))).status, 201);
  assertEquals((await send("PUT", `${ROLES}/a`, role("a", ["*"]))).status, 200);
  using open = new Harness();
  assertEquals((await open.post(ROLES, role("a", ["*"]))).status, 201);
});

Deno.test("Certificate requests say who asked, whatever was sent", async () => {
  using api = new Harness();
  const spec = {
    request: CERTIFICATE_REQUEST,
    signerName: "a.b/c",
    usages: ["client auth"],
    username: "forged",
    groups: ["forged"],
  };
  const headers = { "impersonate-user": "joe", "impersonate-group": "devs", "impersonate-uid": "7" };
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const { body } = await api.send("POST", path, { metadata: { name: "c" }, spec }, { headers });
  assertEquals(
    [body.spec?.username, body.spec?.uid, body.spec?.groups],
    ["joe", "7", ["devs", "system:authenticated"]],
    body.message,
  );
});

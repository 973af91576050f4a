/** Requests that are to be somebody else's, and what follows from who a user is. */
import { assertEquals } from "@std/assert";
import { actingAs, as, grant } from "../authorization/grants.ts";
import { Harness, PODS } from "../harness.ts";

const WHOAMI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

Deno.test("Gate: a request to act as somebody else is refused with 403 unless its sender may impersonate that user", async () => {
  using api = new Harness({ authorization: "RBAC" });
  const refused = await actingAs(api, "eve", { "impersonate-user": "kubernetes-admin" });
  assertEquals([refused.status, refused.body.message], [
    403,
    'nodes is forbidden: User "eve" cannot impersonate-on:user-info:list resource "nodes" in API group "" at the cluster scope',
  ]);
  await grant(api, "eve", [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob"] }], {
    everywhere: true,
  });
  await grant(api, "bob", [{ verbs: ["list"], apiGroups: [""], resources: ["nodes"] }], { everywhere: true });
  assertEquals((await actingAs(api, "eve", { "impersonate-user": "bob" })).status, 200);
  assertEquals((await actingAs(api, "eve", { "impersonate-user": "bob", "impersonate-group": "g" })).status, 403);
  assertEquals((await actingAs(api, "eve", { "impersonate-user": "bob", "impersonate-uid": "1" })).status, 403);
  assertEquals((await actingAs(api, "eve", { "impersonate-user": "system:node:n" })).status, 403);
  const { status, body } = await actingAs(api, "eve", { "impersonate-group": "g", "impersonate-extra-a%2Fb": "c" });
  assertEquals([status, body.message], [400, "impersonation needs a user name"]);
});

Deno.test("Impersonated users get the groups that come with who they are", async () => {
  using api = new Harness();
  const groups = async (user: string, ...list: string[]) =>
    (await api.send("POST", WHOAMI, {}, as(user, ...list))).body.status.userInfo.groups;
  assertEquals(await groups("u"), ["system:authenticated"]);
  assertEquals(await groups("u", "a", "b"), ["a", "b", "system:authenticated"]);
  assertEquals(await groups("u", "system:unauthenticated"), ["system:unauthenticated"]);
  assertEquals(await groups("system:anonymous"), ["system:unauthenticated"]);
  assertEquals(await groups("system:serviceaccount:a:b"), [
    "system:serviceaccounts",
    "system:serviceaccounts:a",
    "system:authenticated",
  ]);
  assertEquals(await groups("system:node:n"), ["system:nodes", "system:authenticated"]);
});

Deno.test("A pod may act as the node that it runs on where its account may be its associated node", async () => {
  using api = new Harness({ authorization: "RBAC" });
  await api.account("default");
  await api.post("/api/v1/nodes", { metadata: { name: "n" } });
  await api.post(PODS, { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } });
  const account = "system:serviceaccount:default:default";
  await grant(api, account, [
    { verbs: ["impersonate:associated-node"], apiGroups: ["authentication.k8s.io"], resources: ["nodes"] },
    { verbs: ["impersonate-on:associated-node:get"], apiGroups: [""], resources: ["nodes"] },
  ], { name: "agent", everywhere: true });
  await grant(api, "system:node:n", [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }], {
    name: "node",
    everywhere: true,
  });
  await grant(api, "system:node:m", [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }], {
    name: "other",
    everywhere: true,
  });
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
  const request = await api.post("/api/v1/namespaces/default/serviceaccounts/default/token", {
    spec: { boundObjectRef },
  });
  const authorization = `Bearer ${request.body.status.token}`;
  const get = (node: string) =>
    api.get("/api/v1/nodes/n", { headers: { authorization, "impersonate-user": `system:node:${node}` } });
  assertEquals([(await get("n")).status, (await get("m")).status], [200, 403]);
});

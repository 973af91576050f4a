import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  apiVersionOf,
  BUILT_IN_RESOURCES,
  compareVersions,
  DEPLOYMENTS,
  findResource,
  groupResource,
  HORIZONTALPODAUTOSCALERS,
  NAMESPACES,
  NODES,
  parseApiVersion,
  PODS,
  referenceTo,
  resourcePath,
} from "../../../src/api/mod.ts";

Deno.test("resourcePath leads to all namespaces, one namespace, one object or its subresource", () => {
  assertEquals(resourcePath(PODS), "/api/v1/pods");
  assertEquals(resourcePath(PODS, { namespace: "x" }), "/api/v1/namespaces/x/pods");
  assertEquals(resourcePath(PODS, { namespace: "x", name: "y" }), "/api/v1/namespaces/x/pods/y");
  assertEquals(
    resourcePath(DEPLOYMENTS, { namespace: "x", name: "y", subresource: "status" }),
    "/apis/apps/v1/namespaces/x/deployments/y/status",
  );
});

Deno.test("resourcePath ignores the namespace of a cluster-scoped resource", () => {
  assertEquals(resourcePath(NODES, { namespace: "x", name: "n" }), "/api/v1/nodes/n");
  assertEquals(resourcePath(NAMESPACES, { name: "n", subresource: "finalize" }), "/api/v1/namespaces/n/finalize");
});

Deno.test("resourcePath escapes a name's special characters except colons", () => {
  assertEquals(resourcePath(NODES, { name: "system:node a" }), "/api/v1/nodes/system:node%20a");
});

Deno.test("resourcePath throws for a namespaced object without a namespace", () => {
  const path = () => resourcePath(DEPLOYMENTS, { name: "web" });
  assertThrows(path, TypeError, 'Cannot make the path of deployments.apps "web": it has no namespace');
});

Deno.test("apiVersionOf and parseApiVersion are inverse, the core group without a slash", () => {
  assertEquals(apiVersionOf(PODS), "v1");
  assertEquals(apiVersionOf(DEPLOYMENTS), "apps/v1");
  assertEquals(parseApiVersion("v1"), { group: "", version: "v1" });
  assertEquals(parseApiVersion("apps/v1"), { group: "apps", version: "v1" });
  assertEquals(parseApiVersion(""), { group: "", version: "" });
  assertThrows(() => parseApiVersion("a/b/c"), Error, "unexpected GroupVersion string: a/b/c");
});

Deno.test("groupResource names the group after the plural", () => {
  assertEquals([groupResource(PODS), groupResource(DEPLOYMENTS)], ["pods", "deployments.apps"]);
});

Deno.test("findResource finds by plural or kind, in the best version", () => {
  assertEquals(findResource({ group: "apps", plural: "deployments" }), DEPLOYMENTS);
  assertEquals(findResource({ group: "apps", kind: "Deployment" }), DEPLOYMENTS);
  assertEquals(findResource({ kind: "HorizontalPodAutoscaler" }), HORIZONTALPODAUTOSCALERS);
  assertEquals(findResource({ kind: "HorizontalPodAutoscaler", version: "v1" })?.version, "v1");
  assertEquals(findResource({ plural: "events" })?.group, "");
  assertEquals(findResource({ plural: "events", group: "events.k8s.io" })?.group, "events.k8s.io");
  assertEquals(findResource({ kind: "Widget" }), undefined);
  assertEquals(findResource({ group: "apps", kind: "Pod" }), undefined);
});

Deno.test("compareVersions prefers stable to beta to alpha, then the higher number", () => {
  const versions = ["foo1", "v1alpha1", "v2", "v10", "v1beta2", "v3beta1", "v1", "bar", "v11alpha2"];
  const expected = ["v10", "v2", "v1", "v3beta1", "v1beta2", "v11alpha2", "v1alpha1", "bar", "foo1"];
  assertEquals(versions.toSorted((a, b) => compareVersions(b, a)), expected);
});

Deno.test("referenceTo takes kind and version from the resource and leaves out what the object lacks", () => {
  const pod = { metadata: { namespace: "n", name: "p", uid: "u", resourceVersion: "5" } };
  assertEquals(referenceTo(pod, PODS), {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "n",
    name: "p",
    uid: "u",
    resourceVersion: "5",
  });
  assertEquals(referenceTo({ metadata: { name: "n" } }, NODES), { apiVersion: "v1", kind: "Node", name: "n" });
});

Deno.test("BUILT_IN_RESOURCES knows scopes, verbs and subresources", () => {
  assert(BUILT_IN_RESOURCES.includes(PODS));
  assertEquals([PODS.namespaced, NODES.namespaced], [true, false]);
  assert(PODS.verbs?.includes("watch"));
  assert(PODS.subresources?.includes("eviction"));
  const keys = BUILT_IN_RESOURCES.map((resource) => `${apiVersionOf(resource)}/${resource.plural}`);
  assertEquals(new Set(keys).size, keys.length);
});

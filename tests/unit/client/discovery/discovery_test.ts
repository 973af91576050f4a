import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  Discovery,
  GroupDiscoveryError,
  isNotFound,
  StaleGroupVersionError,
  StatusError,
} from "../../../../src/client/mod.ts";
import { type SeenRequest, testClient } from "../test_server.ts";

type Routes = Readonly<Record<string, () => Response>>;

/** A discovery before a server with these paths; others are not found. */
function discoveryOf(routes: Routes) {
  const answer = ({ path }: SeenRequest) => routes[path]?.() ?? new Response("404 page not found", { status: 404 });
  const { client, seen } = testClient([answer]);
  return { discovery: new Discovery(client), seen };
}

const aggregated = (items: unknown, version = "v2") => () =>
  new Response(JSON.stringify({ kind: "APIGroupDiscoveryList", items }), {
    headers: { "content-type": `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList` },
  });
const plain = (body: unknown) => () => Response.json(body);

const resource = (name: string, kind: string, extra: object = {}) => ({
  resource: name,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get", "list"],
  ...extra,
});

const CORE = [{
  metadata: {},
  versions: [{
    version: "v1",
    resources: [
      resource("pods", "Pod", {
        subresources: [{ subresource: "status" }, { subresource: "eviction" }],
        shortNames: ["po"],
      }),
      resource("nodes", "Node", { scope: "Cluster" }),
      { resource: "only-subresources", scope: "Namespaced", verbs: [] },
    ],
  }],
}];

const GROUPS = [
  {
    metadata: { name: "autoscaling" },
    versions: [
      { version: "v2", resources: [resource("hpas", "HPA", { verbs: ["delete", "list"] })] },
      { version: "v1", resources: [resource("hpas", "HPA"), resource("olds", "Old")] },
    ],
  },
  {
    metadata: { name: "metrics.k8s.io" },
    versions: [{ version: "v1beta1", freshness: "Stale", resources: [resource("pods", "PodMetrics")] }],
  },
];

Deno.test("Discovery: one request each to /api and /apis suffices where both answer in the aggregated form", async () => {
  const { discovery, seen } = discoveryOf({
    "/api": aggregated(CORE),
    "/apis": aggregated(GROUPS.slice(0, 1), "v2beta1"),
  });
  const { groups, resources, failures } = await discovery.discover();
  assertEquals(seen.map(({ path }) => path), ["/api", "/apis"]);
  assertEquals(
    seen[0].headers.get("accept"),
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
  );
  assertEquals(groups, [
    { name: "", versions: ["v1"], preferredVersion: "v1" },
    { name: "autoscaling", versions: ["v2", "v1"], preferredVersion: "v2" },
  ]);
  assertEquals(resources.get("v1")![0], {
    group: "",
    version: "v1",
    plural: "pods",
    kind: "Pod",
    namespaced: true,
    verbs: ["get", "list"],
    subresources: ["status", "eviction"],
    singular: "pod",
    shortNames: ["po"],
    categories: [],
  });
  assertEquals([...resources.keys()], ["v1", "autoscaling/v2", "autoscaling/v1"]);
  assertEquals(failures.size, 0);
});

Deno.test("Discovery: one request each to /api and /apis suffices where both answer in the aggregated form; otherwise every group version is asked for", async () => {
  const list = (resources: unknown[]) => plain({ kind: "APIResourceList", resources });
  const { discovery, seen } = discoveryOf({
    "/api": plain({ kind: "APIVersions", versions: ["v1"] }),
    "/apis": aggregated(GROUPS.slice(0, 1)),
    "/api/v1": list([
      { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] },
      { name: "pods/status", kind: "Pod", namespaced: true, verbs: ["get"] },
    ]),
    "/apis/autoscaling/v2": list([{ name: "hpas", kind: "HPA", namespaced: true, verbs: ["list"] }]),
    "/apis/autoscaling/v1": list([]),
  });
  const { resources, failures } = await discovery.discover();
  assertEquals(seen.map(({ path }) => path).sort(), [
    "/api",
    "/api/v1",
    "/apis",
    "/apis/autoscaling/v1",
    "/apis/autoscaling/v2",
  ]);
  assertEquals(resources.get("v1")!.map(({ plural, subresources }) => [plural, subresources]), [["pods", ["status"]]]);
  assertEquals(resources.get("autoscaling/v2")!.length, 1);
  assertEquals(failures.size, 0);
});

Deno.test("Discovery reads groups of a server that aggregates nothing", async () => {
  const group = {
    name: "apps",
    versions: [{ groupVersion: "apps/v1beta1", version: "v1beta1" }, { groupVersion: "apps/v1", version: "v1" }],
    preferredVersion: { groupVersion: "apps/v1", version: "v1" },
  };
  const list = plain({ resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs: ["list"] }] });
  const { discovery } = discoveryOf({
    "/apis": plain({ kind: "APIGroupList", groups: [group] }),
    "/apis/apps/v1": list,
    "/apis/apps/v1beta1": list,
  });
  const { resources, failures } = await discovery.preferredResources();
  assertEquals([resources.map(({ plural, version }) => `${plural}.${version}`), failures.size], [
    ["deployments.v1"],
    0,
  ]);
});

Deno.test("Discovery: a group version that failed, or that the server calls stale, is named among the failures; the rest is returned", async () => {
  const { discovery, seen } = discoveryOf({ "/api": aggregated(CORE), "/apis": aggregated(GROUPS) });
  const { resources, failures } = await discovery.preferredResources();
  assertEquals(seen.length, 4);
  assertEquals(resources.map(({ plural }) => plural), ["pods", "nodes", "hpas", "olds"]);
  assertInstanceOf(failures.get("metrics.k8s.io/v1beta1"), StaleGroupVersionError);
  assertEquals(
    new GroupDiscoveryError(failures).message,
    "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: " +
      "stale GroupVersion discovery: metrics.k8s.io/v1beta1",
  );
});

Deno.test("Discovery: a partial answer is asked for once more before it is returned, and a failure that the second try makes good is not reported", async () => {
  let tries = 0;
  const { discovery } = discoveryOf({
    "/api": aggregated(CORE),
    "/apis": () => aggregated(tries++ === 0 ? GROUPS : GROUPS.slice(0, 1))(),
  });
  assertEquals((await discovery.discover()).failures.size, 0);
});

Deno.test("Discovery: a group version that failed, or that the server calls stale, is named among the failures: one that failed", async () => {
  const { discovery } = discoveryOf({
    "/api": plain({ versions: ["v1"] }),
    "/apis": plain({ groups: [{ name: "metrics.k8s.io", versions: [{ version: "v1" }] }] }),
    "/api/v1": plain({ resources: [{ name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] }] }),
    "/apis/metrics.k8s.io/v1": () => new Response("no backend", { status: 503 }),
  });
  const { resources, failures } = await discovery.discover();
  assertEquals([[...resources.keys()], [...failures.keys()]], [["v1"], ["metrics.k8s.io/v1"]]);
});

Deno.test("Discovery: if /apis cannot be read at all, the error is thrown; a core group there need not be", async () => {
  const { discovery } = discoveryOf({ "/apis": aggregated(GROUPS.slice(0, 1)) });
  assertEquals((await discovery.discover()).groups.map(({ name }) => name), ["autoscaling"]);
  const broken = discoveryOf({ "/api": aggregated(CORE), "/apis": () => new Response("", { status: 500 }) });
  await assertRejects(() => broken.discovery.discover(), StatusError);
});

Deno.test("Discovery.preferredResources prefers the preferred version, and filters", async () => {
  const { discovery } = discoveryOf({ "/api": aggregated(CORE), "/apis": aggregated(GROUPS.slice(0, 1)) });
  const names = async (options: Parameters<Discovery["preferredResources"]>[0]) =>
    (await discovery.preferredResources(options)).resources.map(({ plural, version }) => `${plural}.${version}`);
  assertEquals(await names({}), ["pods.v1", "nodes.v1", "hpas.v2", "olds.v1"]);
  assertEquals(await names({ namespaced: true }), ["pods.v1", "hpas.v2", "olds.v1"]);
  assertEquals(await names({ namespaced: false }), ["nodes.v1"]);
  assertEquals(await names({ verbs: ["delete", "list"] }), ["hpas.v2"]);
});

Deno.test("Discovery.resourcesOf says when a group version is not served", async () => {
  const { discovery } = discoveryOf({});
  const error = await assertRejects(() => discovery.resourcesOf({ group: "no.such", version: "v1" }));
  assertEquals(isNotFound(error), true);
});

Deno.test("Discovery takes strange answers for empty ones", async () => {
  for (const body of [null, [], 5, { items: 5 }, { items: [null, { versions: {} }] }]) {
    const { discovery } = discoveryOf({ "/api": aggregated(CORE), "/apis": () => aggregated(body)() });
    assertEquals((await discovery.discover()).resources.size, 1);
  }
});

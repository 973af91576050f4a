import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  Discovery,
  NoMatchError,
  RestMapper,
  StaleGroupVersionError,
  StatusError,
} from "../../../../src/client/mod.ts";
import { type SeenRequest, testClient } from "../test_server.ts";

const entry = (resource: string, kind: string) => ({
  resource,
  responseKind: { kind },
  scope: "Namespaced",
  verbs: ["list"],
});
const version = (name: string, resources: unknown[], freshness = "Current") => ({
  version: name,
  resources,
  freshness,
});

/** A mapper before a server whose groups the test may change. */
function mapperOf(groups: unknown[], routes: Record<string, () => Response> = {}) {
  const world = new FakeWorld();
  const server = { groups };
  const answer = ({ path }: SeenRequest) => {
    if (routes[path]) return routes[path]();
    if (path !== "/apis") return new Response("", { status: 404 });
    return new Response(JSON.stringify({ items: server.groups }), {
      headers: { "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
    });
  };
  const { client, seen } = testClient([answer], { world });
  return { world, server, seen, mapper: new RestMapper(new Discovery(client), world) };
}

const APPS = {
  metadata: { name: "apps" },
  versions: [
    version("v2", [entry("deployments", "Deployment")]),
    version("v1", [entry("deployments", "Deployment"), entry("olds", "Old")]),
  ],
};
const WIDGETS = { metadata: { name: "example.org" }, versions: [version("v1", [entry("widgets", "Widget")])] };

Deno.test("RestMapper: nothing is requested before the first lookup; lookups at the same time share one answer", async () => {
  const { mapper, seen } = mapperOf([APPS]);
  assertEquals(seen.length, 0);
  const found = await Promise.all(
    [1, 2, 3].map(() => mapper.resourceFor({ group: "apps", version: "v1", kind: "Deployment" })),
  );
  assertEquals([found[0].plural, found[0].version, seen.length], ["deployments", "v1", 2]);
});

Deno.test("RestMapper without a version takes the preferred one that has the kind", async () => {
  const { mapper } = mapperOf([APPS]);
  assertEquals((await mapper.resourceFor({ group: "apps", kind: "Deployment" })).version, "v2");
  assertEquals((await mapper.resourceFor({ group: "apps", kind: "Old" })).version, "v1");
});

Deno.test("RestMapper finds a resource by its name, in the preferred version that has it", async () => {
  const { mapper } = mapperOf([APPS]);
  assertEquals((await mapper.resourceNamed({ group: "apps", plural: "deployments" })).version, "v2");
  assertEquals((await mapper.resourceNamed({ group: "apps", plural: "olds" })).version, "v1");
  const error = await assertRejects(() => mapper.resourceNamed({ group: "apps", plural: "old" }), NoMatchError);
  assertEquals(error.message, 'no matches for resource "old" in group "apps"');
});

Deno.test("RestMapper says what it cannot find", async () => {
  const { mapper } = mapperOf([APPS]);
  const error = await assertRejects(
    () => mapper.resourceFor({ group: "apps", version: "v1", kind: "No" }),
    NoMatchError,
  );
  assertEquals(error.message, 'no matches for kind "No" in version "apps/v1"');
  await assertRejects(() => mapper.resourceFor({ group: "x", kind: "No" }), NoMatchError, 'in group "x"');
});

Deno.test("RestMapper: a miss in an answer older than ten seconds is looked up once more in a new answer", async () => {
  const { world, server, mapper, seen } = mapperOf([APPS]);
  const widget = () => mapper.resourceFor({ group: "example.org", version: "v1", kind: "Widget" });
  await assertRejects(widget, NoMatchError);
  server.groups = [APPS, WIDGETS];
  await assertRejects(widget, NoMatchError);
  assertEquals(seen.length, 2);
  await world.clock.advance(10_000);
  assertEquals((await widget()).plural, "widgets");
  assertEquals(seen.length, 4);
});

Deno.test("RestMapper: reset makes the next lookup ask the server", async () => {
  const { server, mapper } = mapperOf([APPS]);
  await mapper.resourceFor({ group: "apps", kind: "Deployment" });
  server.groups = [WIDGETS];
  await mapper.resourceFor({ group: "apps", kind: "Deployment" });
  mapper.reset();
  await assertRejects(() => mapper.resourceFor({ group: "apps", kind: "Deployment" }), NoMatchError);
});

Deno.test("RestMapper: if a group version's discovery failed, a lookup in it throws that error, never NoMatchError", async () => {
  const stale = { metadata: { name: "metrics.k8s.io" }, versions: [version("v1", [], "Stale")] };
  const { mapper } = mapperOf([APPS, stale]);
  const query = { group: "metrics.k8s.io", version: "v1", kind: "PodMetrics" };
  await assertRejects(() => mapper.resourceFor(query), StaleGroupVersionError);
  await assertRejects(() => mapper.resourceFor({ ...query, version: undefined }), StaleGroupVersionError);
  assertEquals((await mapper.resourceFor({ group: "apps", kind: "Deployment" })).kind, "Deployment");
});

Deno.test("RestMapper: a group version whose discovery failed for a passing reason is asked for again when a lookup needs it", async () => {
  let isUp = false;
  const { mapper, seen } = mapperOf([], {
    "/api": () => Response.json({ versions: ["v1"] }),
    "/api/v1": () =>
      isUp
        ? Response.json({ resources: [{ name: "pods", kind: "Pod", namespaced: true, verbs: [] }] })
        : new Response("", { status: 503 }),
  });
  const pod = () => mapper.resourceFor({ group: "", version: "v1", kind: "Pod" });
  assertInstanceOf(await assertRejects(pod), StatusError);
  isUp = true;
  assertEquals((await pod()).plural, "pods");
  const requests = seen.length;
  await pod();
  assertEquals(seen.length, requests);
});

Deno.test("RestMapper forgets an answer that failed as a whole", async () => {
  let isUp = false;
  const { mapper } = mapperOf([], {
    "/api": () => isUp ? new Response("", { status: 404 }) : new Response("", { status: 500 }),
  });
  await assertRejects(() => mapper.resourceFor({ group: "", kind: "Pod" }), StatusError);
  isUp = true;
  await assertRejects(() => mapper.resourceFor({ group: "", kind: "Pod" }), NoMatchError);
});

Deno.test("RestMapper: a kind in lower case, or with `List` after it, is the kind itself, as for upstream; another kind of that very name comes first", async () => {
  const widgets = [entry("widgets", "Widget"), entry("lists", "WidgetList"), entry("smalls", "widget")];
  const groups = [{ metadata: { name: "example.org" }, versions: [version("v1", widgets)] }, APPS];
  const { mapper } = mapperOf(groups);
  const plural = async (group: string, kind: string) => (await mapper.resourceFor({ group, kind })).plural;
  assertEquals([await plural("apps", "deployment"), await plural("apps", "DeploymentList")], [
    "deployments",
    "deployments",
  ]);
  assertEquals([await plural("example.org", "WidgetList"), await plural("example.org", "widget")], ["lists", "smalls"]);
  await assertRejects(() => mapper.resourceFor({ group: "apps", kind: "DEPLOYMENT" }), NoMatchError);
});

Deno.test("RestMapper: a resource without a group has the kinds of all groups that serve it in its version, as for upstream; its singular will do", async () => {
  const named = { ...entry("widgets", "Widget"), singularResource: "wdgt" };
  const groups = [APPS, {
    metadata: { name: "example.org" },
    versions: [version("v1", [named, entry("olds", "Older")])],
  }];
  const { mapper } = mapperOf(groups);
  const kinds = async (group: string, version: string, resource: string) =>
    (await mapper.kindsFor({ group, version, resource })).map((kind) => `${kind.group}/${kind.version}/${kind.kind}`);
  assertEquals(await kinds("apps", "v1", "deployments"), ["apps/v1/Deployment"]);
  assertEquals(await kinds("", "v1", "olds"), ["apps/v1/Old", "example.org/v1/Older"]);
  assertEquals(await kinds("", "v2", "Deployments"), ["apps/v2/Deployment"]);
  assertEquals([await kinds("example.org", "v1", "wdgt"), await kinds("apps", "v1", "deployment")], [
    ["example.org/v1/Widget"],
    ["apps/v1/Deployment"],
  ]);
  assertEquals([await kinds("example.org", "v1", "deployments"), await kinds("apps", "v3", "olds")], [[], []]);
});

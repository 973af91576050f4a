import { assertEquals, assertStringIncludes } from "@std/assert";
import { MemoryBackend } from "../../src/sandbox/mod.ts";
import { Harness, type Loose, MERGE, STRATEGIC } from "./sandbox_harness.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

function definition(version: object = {}): Loose {
  return {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, ...version }],
    },
  };
}

Deno.test("CustomResourceDefinition is established at once and serves its resource with discovery", async () => {
  using api = new Harness();
  const { body } = await api.post(CRDS, definition());
  const conditions = body.status.conditions.map(({ type, status, reason }: Loose) => [type, status, reason]);
  assertEquals(conditions, [["NamesAccepted", "True", "NoConflicts"], ["Established", "True", "InitialNamesAccepted"]]);
  assertEquals([body.status.acceptedNames.singular, body.status.storedVersions], ["widget", ["v1"]]);
  const { resources } = (await api.get("/apis/example.com/v1")).body;
  assertEquals(resources.map(({ name, kind, shortNames = [] }: Loose) => [name, kind, ...shortNames]), [
    ["widgets", "Widget", "wd"],
    ["widgets/status", "Widget"],
  ]);
});

Deno.test("Custom resources are stored as they are, with generation and status apart", async () => {
  using api = new Harness();
  await api.post(CRDS, definition());
  const widget = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    spec: { any: [{ thing: null }] },
  };
  const created = await api.post(WIDGETS, { ...widget, status: { ignored: true } });
  assertEquals([created.status, created.body.spec, created.body.status], [201, widget.spec, undefined]);
  assertEquals(created.body.metadata.generation, 1);
  const status = await api.patch(`${WIDGETS}/w/status`, { status: { ok: true }, spec: { no: 1 } }, MERGE);
  assertEquals([status.body.spec, status.body.status, status.body.metadata.generation], [widget.spec, { ok: true }, 1]);
  const spec = await api.patch(`${WIDGETS}/w`, { spec: { more: 1 }, status: { ok: false } }, MERGE);
  assertEquals([spec.body.status, spec.body.metadata.generation], [{ ok: true }, 2]);
  assertEquals((await api.get(WIDGETS)).body.items[0].kind, "Widget");
});

Deno.test("Custom resources refuse strategic merge patches and updates without resourceVersion", async () => {
  using api = new Harness();
  await api.post(CRDS, definition());
  await api.post(WIDGETS, { metadata: { name: "w" } });
  const patch = await api.patch(`${WIDGETS}/w`, { spec: {} }, STRATEGIC);
  assertEquals(patch.status, 415);
  assertStringIncludes(patch.body.message, "application/merge-patch+json");
  assertEquals((await api.put(`${WIDGETS}/w`, { metadata: { name: "w" } })).status, 422);
});

Deno.test("Custom resources go with their definition, and so does their path", async () => {
  using api = new Harness();
  await api.post(CRDS, definition());
  await api.post(WIDGETS, { metadata: { name: "w" } });
  const watch = await api.watch(WIDGETS, `&resourceVersion=${api.server.revision}`);
  const definitions = await api.watch(CRDS, `&resourceVersion=${api.server.revision}`);
  await api.delete(`${CRDS}/widgets.example.com`);
  assertEquals(await watch.texts(1), ["DELETED w"]);
  assertEquals(await definitions.texts(2), ["MODIFIED widgets.example.com", "DELETED widgets.example.com"]);
  assertEquals((await api.get(WIDGETS)).status, 404);
  await watch.cancel();
  await definitions.cancel();
});

Deno.test("Custom resources keep their definition until their finalizers are gone, and no new ones come", async () => {
  using api = new Harness();
  await api.post(CRDS, definition());
  await api.post(WIDGETS, { metadata: { name: "w", finalizers: ["example.com/wait"] } });
  const watch = await api.watch(WIDGETS, `&resourceVersion=${api.server.revision}`);
  const { status, body } = await api.delete(`${CRDS}/widgets.example.com`);
  assertEquals([status, body.metadata.finalizers], [200, ["customresourcecleanup.apiextensions.k8s.io"]]);
  const terminating = body.status.conditions.find(({ type }: Loose) => type === "Terminating");
  assertEquals([terminating.status, terminating.reason], ["True", "InstanceDeletionInProgress"]);
  assertEquals(await watch.texts(1), ["MODIFIED w"]);
  const refused = await api.post(WIDGETS, { metadata: { name: "late" } });
  assertEquals(refused.status, 403);
  assertStringIncludes(refused.body.message, "create not allowed while custom resource definition is terminating");
  const { resourceVersion } = body.metadata;
  assertEquals((await api.delete(`${CRDS}/widgets.example.com`)).body.metadata.resourceVersion, resourceVersion);
  const definitions = await api.watch(CRDS, `&resourceVersion=${resourceVersion}`);
  await api.patch(`${WIDGETS}/w`, { metadata: { finalizers: null } }, MERGE);
  assertEquals(await watch.texts(1), ["DELETED w"]);
  assertEquals(await definitions.texts(1), ["DELETED widgets.example.com"]);
  await watch.cancel();
  await definitions.cancel();
});

Deno.test("Custom resources left by a server that stopped midway are cleaned up by the next one", async () => {
  const backend = new MemoryBackend();
  backend.close = () => {};
  using first = new Harness({ backend });
  await first.post(CRDS, definition());
  await first.post(WIDGETS, { metadata: { name: "w", finalizers: ["example.com/wait"] } });
  await first.delete(`${CRDS}/widgets.example.com`);
  first.server.close();
  using second = new Harness({ backend });
  const definitions = await second.watch(CRDS, `&resourceVersion=${second.server.revision}`);
  await second.patch(`${WIDGETS}/w`, { metadata: { finalizers: null } }, MERGE);
  assertEquals(await definitions.texts(1), ["DELETED widgets.example.com"]);
  await definitions.cancel();
});

Deno.test("Custom resources scale by the paths of their definition", async () => {
  using api = new Harness();
  const scale = {
    specReplicasPath: ".spec.size",
    statusReplicasPath: ".status.size",
    labelSelectorPath: ".status.selector",
  };
  await api.post(CRDS, definition({ subresources: { status: {}, scale } }));
  await api.post(WIDGETS, { metadata: { name: "w" }, spec: { size: 2 } });
  await api.patch(`${WIDGETS}/w/status`, { status: { size: 1, selector: "a=b" } });
  const { body } = await api.get(`${WIDGETS}/w/scale`);
  assertEquals([body.spec, body.status], [{ replicas: 2 }, { replicas: 1, selector: "a=b" }]);
  await api.patch(`${WIDGETS}/w/scale`, { spec: { replicas: 4 } });
  assertEquals((await api.get(`${WIDGETS}/w`)).body.spec.size, 4);
});

Deno.test("CustomResourceDefinition is refused when its names or versions do not fit", async () => {
  using api = new Harness();
  const wrongName = { ...definition(), metadata: { name: "gadgets.example.com" } };
  assertEquals((await api.post(CRDS, wrongName)).status, 422);
  assertEquals((await api.post(CRDS, definition({ storage: false }))).status, 422);
  assertEquals((await api.post(CRDS, definition({ served: false }))).status, 422);
});

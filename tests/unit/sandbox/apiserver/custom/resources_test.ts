import { assertEquals, assertStringIncludes } from "@std/assert";
import { MemoryBackend } from "../../../../../src/sandbox/mod.ts";
import { CERTIFICATES, ROLLOUTS, SERVICE_MONITORS, widgets } from "./definitions.ts";
import { APPLY, Harness, type Loose, MERGE, STRATEGIC } from "../harness.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ONE = `${CRDS}/widgets.example.com`;
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

const SPEC = {
  size: { type: "integer", minimum: 0 },
  color: { type: "string", default: "red" },
  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** A server that serves widgets with a status. */
async function serving(version: object = { subresources: { status: {} } }): Promise<Harness> {
  const api = new Harness();
  assertEquals((await api.post(CRDS, widgets(SPEC, version))).status, 201);
  return api;
}

function widget(name: string, spec: object = {}, metadata: object = {}): Loose {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, spec };
}

const conditionsOf = ({ status }: Loose) =>
  (status.conditions ?? []).map(({ type, status, reason }: Loose) => `${type}=${status} ${reason}`);

Deno.test("DefinitionController: a definition whose names are free in its group is established right after the write that made it, in two more writes", async () => {
  using api = new Harness();
  const watch = await api.watch(CRDS, "&resourceVersion=1");
  const { body } = await api.post(CRDS, widgets(SPEC));
  assertEquals(body.status, { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] });
  assertEquals([body.spec.names.singular, body.spec.names.listKind, body.spec.conversion], ["widget", "WidgetList", {
    strategy: "None",
  }]);
  const events = [await watch.next(), await watch.next(), await watch.next()];
  assertEquals(events.map(({ type, object }) => [type, ...conditionsOf(object)]), [
    ["ADDED"],
    ["MODIFIED", "NamesAccepted=True NoConflicts", "Established=False Installing"],
    ["MODIFIED", "NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"],
  ]);
  assertEquals((await api.get(ONE)).body.status.acceptedNames, body.spec.names);
  assertEquals((await api.get(ONE)).body.metadata.generation, 1);
  await watch.cancel();
});

Deno.test("DefinitionController: an established definition is served from the moment its write returns until it is gone", async () => {
  using api = await serving();
  const names = async () =>
    (await api.get("/apis/example.com/v1")).body.resources.map(({ name, kind, shortNames = [] }: Loose) => [
      name,
      kind,
      ...shortNames,
    ]);
  assertEquals(await names(), [["widgets", "Widget", "wd"], ["widgets/status", "Widget"]]);
  const { body } = await api.get(ONE);
  body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.maximum = 3;
  body.spec.names.shortNames = ["wi"];
  delete body.spec.versions[0].subresources;
  assertEquals((await api.put(ONE, body)).status, 200);
  assertEquals(await names(), [["widgets", "Widget", "wi"]]);
  const { status, body: refused } = await api.post(WIDGETS, widget("w", { size: 4 }));
  assertEquals([status, refused.details.causes[0].field], [422, "spec.size"]);
  assertEquals((await api.get(`${WIDGETS}/w/status`)).status, 404);
});

Deno.test("DefinitionController: watches of a resource end when its definition changes or goes, and not for a status", async () => {
  using api = await serving();
  await api.post(WIDGETS, widget("w", { size: 1 }));
  const first = await api.watch(WIDGETS, "");
  assertEquals(await first.texts(1), ["ADDED w"]);
  await api.patch(`${ONE}/status`, { status: { storedVersions: ["v1"] }, metadata: { labels: { a: "b" } } }, MERGE);
  await api.patch(ONE, { metadata: { labels: { a: "c" } } }, MERGE);
  await api.patch(`${WIDGETS}/w`, { spec: { size: 2 } }, MERGE);
  assertEquals(await first.texts(1), ["MODIFIED w"]);
  await api.patch(ONE, { spec: { versions: widgets({}).spec.versions } }, MERGE);
  assertEquals(await first.next(), undefined);
  const second = await api.watch(WIDGETS, "");
  const { object } = await second.next();
  assertEquals(object.spec, {});
  await api.delete(ONE);
  assertEquals([await second.texts(1), await second.next()], [["DELETED w"], undefined]);
});

Deno.test("DefinitionController: a name that becomes free is given to a definition that waits for it", async () => {
  using api = await serving();
  const gadgets = widgets(SPEC);
  gadgets.metadata!.name = "gadgets.example.com";
  gadgets.spec.names = { plural: "gadgets", kind: "Widget", listKind: "GadgetList" };
  await api.post(CRDS, gadgets);
  const waiting = (await api.get(`${CRDS}/gadgets.example.com`)).body;
  assertEquals(conditionsOf(waiting), ["NamesAccepted=False KindConflict", "Established=False NotAccepted"]);
  assertEquals(waiting.status.conditions[0].message, '"Widget" is already in use');
  assertEquals((await api.get("/apis/example.com/v1/gadgets")).status, 404);
  await api.delete(ONE);
  assertEquals((await api.get(ONE)).status, 404);
  const established = (await api.get(`${CRDS}/gadgets.example.com`)).body;
  assertEquals(conditionsOf(established)[1], "Established=True InitialNamesAccepted");
  assertEquals((await api.get("/apis/example.com/v1/gadgets")).status, 200);
});

Deno.test("DefinitionController: a resource that is part of the server is never replaced by a custom one", async () => {
  using api = new Harness();
  const leases = widgets(SPEC);
  leases.metadata = { name: "leases.coordination.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved" } };
  leases.spec = { ...leases.spec, group: "coordination.k8s.io", names: { plural: "leases", kind: "Lease" } };
  assertEquals((await api.post(CRDS, leases)).status, 201);
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  await api.post(path, { metadata: { name: "l" }, spec: { holderIdentity: "me" } });
  await api.delete(`${CRDS}/leases.coordination.k8s.io`);
  assertEquals((await api.get(`${CRDS}/leases.coordination.k8s.io`)).status, 404);
  assertEquals((await api.get(`${path}/l`)).body.spec.holderIdentity, "me");
});

Deno.test("DefinitionController: a server that starts over a store with definitions serves them, and finishes what was begun", async () => {
  const backend = new MemoryBackend();
  backend.close = () => {};
  using first = new Harness({ backend });
  await first.post(CRDS, widgets(SPEC));
  await first.post(WIDGETS, widget("w", {}, { finalizers: ["example.com/wait"] }));
  first.server.close();
  using second = new Harness({ backend });
  assertEquals((await second.get(`${WIDGETS}/w`)).body.spec, { color: "red" });
  await second.delete(ONE);
  second.server.close();
  using third = new Harness({ backend });
  assertEquals((await third.patch(`${WIDGETS}/w`, { metadata: { finalizers: null } }, MERGE)).status, 200);
  assertEquals((await third.get(ONE)).status, 404);
});

Deno.test("CustomVersion prunes, defaults and checks what is created, and warns of what it dropped", async () => {
  using api = await serving();
  const created = await api.post(WIDGETS, {
    ...widget("w", { size: 1, odd: 1, any: { thing: [null] } }),
    status: { a: 1 },
  });
  assertEquals([created.status, created.body.metadata.generation, created.body.status], [201, 1, undefined]);
  assertEquals(created.body.spec, { any: { thing: [null] }, color: "red", size: 1 });
  assertStringIncludes(created.headers.get("warning") ?? "", 'unknown field \\"spec.odd\\"');
  const strict = await api.post(`${WIDGETS}?fieldValidation=Strict`, widget("x", { odd: 1 }));
  assertEquals([strict.status, strict.body.reason], [400, "BadRequest"]);
  assertStringIncludes(strict.body.message, 'strict decoding error: unknown field "spec.odd"');
  const refused = await api.post(WIDGETS, widget("x", { size: "big" }));
  assertEquals([refused.status, refused.body.details.causes[0].reason], [422, "FieldValueTypeInvalid"]);
});

Deno.test("Custom resources change with generation and status apart", async () => {
  using api = await serving();
  await api.post(WIDGETS, widget("w", { size: 1 }));
  const status = await api.patch(`${WIDGETS}/w/status`, { status: { ok: true }, spec: { size: 9 } }, MERGE);
  assertEquals([status.body.spec.size, status.body.status, status.body.metadata.generation], [1, { ok: true }, 1]);
  const spec = await api.patch(`${WIDGETS}/w`, { spec: { size: 2 }, status: { ok: false } }, MERGE);
  assertEquals([spec.body.status, spec.body.metadata.generation], [{ ok: true }, 2]);
  const labels = await api.patch(`${WIDGETS}/w`, { metadata: { labels: { a: "b" } } }, MERGE);
  assertEquals(labels.body.metadata.generation, 2);
  assertEquals((await api.patch(`${WIDGETS}/w`, { spec: {} }, STRATEGIC)).status, 415);
  assertEquals((await api.put(`${WIDGETS}/w`, widget("w"))).status, 422);
});

Deno.test("Custom resources forgive what a stricter schema finds wrong as long as it is not touched", async () => {
  using api = await serving();
  await api.post(WIDGETS, widget("w", { size: 9 }));
  const { body } = await api.get(ONE);
  body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.maximum = 3;
  await api.put(ONE, body);
  assertEquals((await api.patch(`${WIDGETS}/w`, { spec: { color: "blue" } }, MERGE)).status, 200);
  assertEquals((await api.patch(`${WIDGETS}/w`, { spec: { size: 8 } }, MERGE)).status, 422);
});

Deno.test("Custom resources are one object in every version, without fields that storage does not know", async () => {
  using api = new Harness();
  const definition = widgets(SPEC);
  const [v1] = definition.spec.versions;
  const more = widgets({ ...SPEC, extra: { type: "string" } }).spec.versions[0];
  definition.spec.versions = [v1, { ...more, name: "v2", storage: false }];
  await api.post(CRDS, definition);
  const V2 = WIDGETS.replace("/v1/", "/v2/");
  const created = await api.post(V2, { ...widget("w", { size: 1, extra: "x" }), apiVersion: "example.com/v2" });
  assertEquals([created.status, created.body.apiVersion], [201, "example.com/v2"]);
  const [one, two] = [(await api.get(`${WIDGETS}/w`)).body, (await api.get(`${V2}/w`)).body];
  assertEquals([one.apiVersion, two.apiVersion], ["example.com/v1", "example.com/v2"]);
  assertEquals([one.spec, two.spec], [{ color: "red", size: 1 }, { color: "red", size: 1 }]);
  assertEquals(one.metadata.resourceVersion, two.metadata.resourceVersion);
});

Deno.test("Custom resources are selected by the fields that their definition names", async () => {
  using api = await serving({ selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }] });
  await api.post(WIDGETS, widget("red"));
  await api.post(WIDGETS, widget("blue", { color: "blue", size: 2 }));
  const select = async (selector: string) => {
    const { status, body } = await api.get(`${WIDGETS}?fieldSelector=${selector}`);
    return status === 200 ? body.items.map(({ metadata }: Loose) => metadata.name) : status;
  };
  assertEquals(await select("spec.color=red"), ["red"]);
  assertEquals(await select("spec.size=2"), ["blue"]);
  assertEquals(await select("spec.size!=2"), ["red"]);
  assertEquals(await select("spec.any=x"), 400);
  const watch = await api.watch(`${WIDGETS}?fieldSelector=spec.color=red`, `&resourceVersion=${api.server.revision}`);
  await api.patch(`${WIDGETS}/red`, { spec: { color: "blue" } }, MERGE);
  await api.patch(`${WIDGETS}/blue`, { spec: { color: "red" } }, MERGE);
  assertEquals(await watch.texts(2), ["DELETED red", "ADDED blue"]);
  await watch.cancel();
});

Deno.test("Custom resources merge when applied as their schema says: keyed lists and sets by item, the rest as a whole", async () => {
  using api = new Harness({ managedFields: true });
  const item = { type: "object", required: ["id"], properties: { id: { type: "string" }, n: { type: "integer" } } };
  await api.post(
    CRDS,
    widgets({
      keyed: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], items: item },
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      plain: { type: "array", items: { type: "string" } },
    }),
  );
  const apply = (manager: string, spec: object) =>
    api.patch(`${WIDGETS}/w?fieldManager=${manager}`, widget("w", spec), APPLY);
  assertEquals((await apply("one", { keyed: [{ id: "a", n: 1 }], set: ["x"], plain: ["p"] })).status, 201);
  const { body } = await apply("two", { keyed: [{ id: "b", n: 2 }], set: ["y"] });
  assertEquals(body.spec, { keyed: [{ id: "a", n: 1 }, { id: "b", n: 2 }], set: ["x", "y"], plain: ["p"] });
  assertEquals((await apply("two", { plain: ["q"] })).status, 409);
});

Deno.test("Custom resources are scaled through the fields that their definition names", async () => {
  const scale = {
    specReplicasPath: ".spec.size",
    statusReplicasPath: ".status.is",
    labelSelectorPath: ".status.selector",
  };
  using api = await serving({ subresources: { status: {}, scale } });
  await api.post(WIDGETS, widget("w", { size: 2 }));
  await api.patch(`${WIDGETS}/w/status`, { status: { is: 1, selector: "a=b" } }, MERGE);
  const { body } = await api.get(`${WIDGETS}/w/scale`);
  assertEquals([body.kind, body.spec, body.status], ["Scale", { replicas: 2 }, { replicas: 1, selector: "a=b" }]);
  assertEquals((await api.patch(`${WIDGETS}/w/scale`, { spec: { replicas: 5 } }, MERGE)).body.spec, { replicas: 5 });
  const scaled = (await api.get(`${WIDGETS}/w`)).body;
  assertEquals([scaled.spec.size, scaled.metadata.generation], [5, 2]);
  const negative = await api.patch(`${WIDGETS}/w/scale`, { spec: { replicas: -1 } }, MERGE);
  assertEquals([negative.status, negative.body.details.causes[0].field], [422, "spec.size"]);
});

Deno.test("Custom resources without replicas have no scale until it is set", async () => {
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.is" };
  using api = await serving({ subresources: { scale } });
  await api.post(WIDGETS, widget("w"));
  const { status, body } = await api.get(`${WIDGETS}/w/scale`);
  const why = 'Internal error occurred: the spec replicas field ".spec.size" does not exist';
  assertEquals([status, body.reason, body.message], [500, "InternalError", why]);
  const empty = await api.patch(`${WIDGETS}/w/scale`, { metadata: { labels: { a: "b" } } }, MERGE);
  assertEquals([empty.status, empty.body.message], [400, 'the spec replicas field ".spec.size" cannot be empty']);
  assertEquals((await api.patch(`${WIDGETS}/w/scale`, { spec: { replicas: 1 } }, MERGE)).status, 200);
  assertEquals((await api.get(`${WIDGETS}/w/scale`)).body.spec, { replicas: 1 });
});

Deno.test("CustomResourceDefinitions with rules warn that nobody enforces them, once", async () => {
  using api = new Harness();
  const rules = { "x-kubernetes-validations": [{ rule: "self > 0" }] };
  const definition = widgets({ size: { type: "integer", ...rules }, count: { type: "integer", ...rules } });
  const warned = (await api.post(CRDS, definition)).headers.get("warning") ?? "";
  assertStringIncludes(warned, "x-kubernetes-validations are stored, but this server does not enforce them");
  assertEquals(warned.split("299 - ").length, 2);
  assertEquals((await api.patch(ONE, { metadata: { labels: { a: "b" } } }, MERGE)).headers.get("warning"), null);
});

Deno.test("CustomResourceCleanup: a definition is removed only when no instance is left", async () => {
  using api = await serving();
  await api.post(WIDGETS, widget("free"));
  await api.post(WIDGETS, widget("held", {}, { finalizers: ["example.com/wait"] }));
  const from = `&resourceVersion=${api.server.revision}`;
  const [watch, definitions] = [await api.watch(WIDGETS, from), await api.watch(CRDS, from)];
  const { status, body } = await api.delete(ONE);
  assertEquals([status, body.metadata.finalizers], [200, ["customresourcecleanup.apiextensions.k8s.io"]]);
  assertEquals(conditionsOf(body)[2], "Terminating=True InstanceDeletionPending");
  assertEquals([body.metadata.generation, body.metadata.deletionGracePeriodSeconds], [1, undefined]);
  assertEquals(await watch.texts(2), ["DELETED free", "MODIFIED held"]);
  const late = await api.post(WIDGETS, widget("late"));
  assertEquals(late.status, 403);
  assertStringIncludes(late.body.message, "create not allowed while custom resource definition is terminating");
  assertEquals(conditionsOf((await api.get(ONE)).body)[2], "Terminating=True InstanceDeletionInProgress");
  const again = await api.delete(ONE);
  assertEquals(again.body.metadata.deletionTimestamp, body.metadata.deletionTimestamp);
  await api.patch(`${WIDGETS}/held`, { metadata: { finalizers: null } }, MERGE);
  assertEquals(await watch.texts(1), ["DELETED held"]);
  const events = [await definitions.next(), await definitions.next(), await definitions.next()];
  assertEquals(events.map(({ type, object }) => `${type} ${conditionsOf(object)[2]}`), [
    "MODIFIED Terminating=True InstanceDeletionPending",
    "MODIFIED Terminating=True InstanceDeletionInProgress",
    "DELETED Terminating=False InstanceDeletionCompleted",
  ]);
  assertEquals((await api.get(WIDGETS)).status, 404);
  assertEquals((await api.get("/apis/example.com")).status, 404);
  await watch.cancel();
  await definitions.cancel();
});

Deno.test("CustomResourceCleanup: each definition is cleaned up once, however often start is called", async () => {
  using api = await serving();
  const held = (await api.post(WIDGETS, widget("held", {}, { finalizers: ["example.com/wait"] }))).body;
  await api.delete(ONE);
  // One that nobody can create any more tells whether all are deleted again.
  const { version, plural } = { version: "v1", plural: "widgets" };
  api.server.storeUnchecked({ group: "example.com", version, plural, kind: "Widget", namespaced: true }, {
    ...held,
    metadata: { namespace: "default", name: "late", uid: "late" },
  });
  for (const label of ["a", "b"]) await api.patch(ONE, { metadata: { labels: { [label]: "" } } }, MERGE);
  await api.delete(ONE);
  await api.world.clock.advance(1000);
  const deletions = (await api.get(WIDGETS)).body.items.map(({ metadata }: Loose) => [
    metadata.name,
    metadata.deletionTimestamp !== undefined,
  ]);
  assertEquals(deletions, [["held", true], ["late", false]]);
});

Deno.test("CustomResourceCleanup: nothing is written after close", async () => {
  const backend = new MemoryBackend();
  const api = new Harness({ backend });
  await api.post(CRDS, widgets(SPEC, { subresources: { status: {} } }));
  const COUNT = 500;
  for (let i = 0; i < COUNT; i++) await api.post(WIDGETS, widget(`w${i}`));
  await api.delete(ONE);
  api.server.close();
  const { revision } = api.server;
  await api.world.clock.advance(60_000);
  assertEquals(api.server.revision, revision);
  // Whoever comes next goes on where the first one stopped.
  using next = new Harness({ backend });
  await next.world.clock.advance(1000);
  assertEquals((await next.get(ONE)).status, 404);
});

Deno.test("CustomResourceCleanup leaves room for the same definition to come again", async () => {
  using api = await serving();
  await api.post(WIDGETS, widget("w"));
  await api.delete(ONE);
  assertEquals((await api.get(ONE)).status, 404);
  assertEquals((await api.post(CRDS, widgets(SPEC))).status, 201);
  assertEquals((await api.get(WIDGETS)).body.items, []);
  assertEquals((await api.post(WIDGETS, widget("w"))).status, 201);
});

/** Definitions as clusters have them, with an instance that is right and one that is not. */
const REAL: ReadonlyArray<readonly [definition: Loose, right: object, wrong: object, field: string]> = [
  [
    CERTIFICATES,
    { secretName: "tls", issuerRef: { name: "ca" }, dnsNames: ["a.example"] },
    { secretName: "tls", issuerRef: { name: "ca" }, privateKey: { size: 128 } },
    "spec.privateKey.size",
  ],
  [
    SERVICE_MONITORS,
    { selector: { matchLabels: { app: "a" } }, endpoints: [{ port: "web", interval: "1m30s" }] },
    { selector: {}, endpoints: [{ port: "web", interval: "often" }] },
    "spec.endpoints[0].interval",
  ],
  [
    ROLLOUTS,
    {
      selector: {},
      template: { spec: { containers: [{ name: "c" }] } },
      strategy: { canary: { steps: [{ setWeight: 5 }] } },
    },
    { selector: {}, template: {}, strategy: { blueGreen: {} } },
    "spec.strategy.blueGreen.activeService",
  ],
];

for (const [definition, right, wrong, field] of REAL) {
  const { group, names, versions: [{ name: version }] } = definition.spec;
  Deno.test(`Custom resources of kind ${names.kind} are taken when they are right`, async () => {
    using api = new Harness();
    assertEquals((await api.post(CRDS, definition)).status, 201);
    const path = `/apis/${group}/${version}/namespaces/default/${names.plural}`;
    const body = { apiVersion: `${group}/${version}`, kind: names.kind, metadata: { name: "one" } };
    assertEquals((await api.post(path, { ...body, spec: right })).status, 201);
    const refused = await api.post(path, { ...body, metadata: { name: "two" }, spec: wrong });
    assertEquals([refused.status, refused.body.details.causes.map((cause: Loose) => cause.field)], [422, [field]]);
  });
}

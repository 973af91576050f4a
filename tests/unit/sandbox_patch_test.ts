import { assertEquals, assertStringIncludes } from "@std/assert";
import { strategicMerge } from "../../src/sandbox/apiserver/patch/strategic.ts";
import { structOf } from "../../src/sandbox/apiserver/schema/types.ts";
import {
  APPLY,
  CONFIG_MAPS,
  DEPLOYMENTS,
  Harness,
  JSON_PATCH,
  type Loose,
  MERGE,
  STRATEGIC,
  workload,
} from "./sandbox_harness.ts";

const owner = (uid: string) => ({ apiVersion: "v1", kind: "Pod", name: `p${uid}`, uid });

Deno.test("strategicMerge deletes the one owner reference that the patch names", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a", ownerReferences: [owner("1"), owner("2")] } });
  const patch = { metadata: { ownerReferences: [{ $patch: "delete", uid: "1" }] } };
  const { body } = await api.patch(`${CONFIG_MAPS}/a`, patch, STRATEGIC);
  assertEquals(body.metadata.ownerReferences, [owner("2")]);
});

const podSpec = structOf("core.v1.PodSpec")!;
const container = (name: string, rest: object = {}) => ({ name, ...rest });

const CASES: ReadonlyArray<readonly [what: string, target: object, patch: object, result: object]> = [
  [
    "merges lists by their key, new elements first",
    { containers: [container("a", { image: "1" }), container("b")] },
    { containers: [container("c"), container("a", { image: "2" })] },
    { containers: [container("c"), container("a", { image: "2" }), container("b")] },
  ],
  [
    "removes elements",
    { containers: [container("a"), container("b")] },
    { containers: [{ $patch: "delete", name: "a" }] },
    { containers: [container("b")] },
  ],
  [
    "replaces a list that says so",
    { containers: [container("a"), container("b")] },
    { containers: [{ $patch: "replace" }, container("c")] },
    { containers: [container("c")] },
  ],
  [
    "orders elements",
    { containers: [container("a"), container("b"), container("c")] },
    { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }], containers: [container("c", { image: "x" })] },
    { containers: [container("b"), container("c", { image: "x" }), container("a")] },
  ],
  ["deletes fields that are null", { hostname: "x", subdomain: "y" }, { hostname: null }, { subdomain: "y" }],
  ["replaces atomic lists", { tolerations: [{ key: "a" }] }, { tolerations: [{ key: "b" }] }, {
    tolerations: [{ key: "b" }],
  }],
  [
    "keeps only the retained keys",
    { volumes: [{ name: "v", emptyDir: {} }] },
    { volumes: [{ $retainKeys: ["name", "secret"], name: "v", secret: { secretName: "s" } }] },
    { volumes: [{ name: "v", secret: { secretName: "s" } }] },
  ],
  ["replaces a map that says so", { nodeSelector: { a: "1" } }, { nodeSelector: { $patch: "replace", b: "2" } }, {
    nodeSelector: { b: "2" },
  }],
];

for (const [what, target, patch, result] of CASES) {
  Deno.test(`strategicMerge ${what}`, () => {
    assertEquals(strategicMerge({ ...target }, { ...patch }, podSpec), result);
  });
}

Deno.test("strategicMerge unites and subtracts lists of plain values", () => {
  const meta = structOf("meta.v1.ObjectMeta")!;
  const merge = (patch: object) => strategicMerge({ finalizers: ["a/a", "b/b"] }, { ...patch }, meta).finalizers;
  assertEquals(merge({ finalizers: ["c/c", "a/a"] }), ["c/c", "a/a", "b/b"]);
  assertEquals(merge({ "$deleteFromPrimitiveList/finalizers": ["a/a"] }), ["b/b"]);
});

Deno.test("ApiServer applies JSON patches as a whole or not at all", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1" } });
  const patch = (...operations: object[]) => api.patch(`${CONFIG_MAPS}/a`, operations, JSON_PATCH);
  const replaced = await patch({ op: "test", path: "/data/x", value: "1" }, {
    op: "replace",
    path: "/data/x",
    value: "2",
  });
  assertEquals([replaced.status, replaced.body.data], [200, { x: "2" }]);
  const failed = await patch({ op: "add", path: "/data/y", value: "3" }, { op: "test", path: "/data/x", value: "1" });
  assertEquals(failed.status, 422);
  assertEquals((await patch({ op: "remove", path: "/data/none" })).status, 422);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).body.data, { x: "2" });
});

Deno.test("ApiServer applies merge patches, and treats their resourceVersion as a precondition", async () => {
  using api = new Harness();
  const { body } = await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: { x: "1", y: "2" } });
  const { resourceVersion } = body.metadata;
  const patch = { metadata: { resourceVersion }, data: { x: null, z: "3" } };
  const patched = await api.patch(`${CONFIG_MAPS}/a`, patch, MERGE);
  assertEquals(patched.body.data, { y: "2", z: "3" });
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, patch, MERGE)).status, 409);
});

Deno.test("ApiServer refuses patches of another media type or name, or of nothing", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const status = async (name: string, patch: unknown, type = MERGE) =>
    (await api.patch(`${CONFIG_MAPS}/${name}`, patch, type)).status;
  assertEquals(await status("a", {}, "text/plain"), 415);
  assertEquals(await status("a", { metadata: { name: "b" } }), 400);
  assertEquals(await status("none", {}), 404);
  assertEquals(await status("a", "[]"), 400);
});

Deno.test("ApiServer answers 422 to a patch whose result is of another kind or does not fit the type", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const kind = await api.patch(`${CONFIG_MAPS}/a`, { kind: "Secret" });
  assertEquals([kind.status, kind.body.reason], [422, "Invalid"]);
  assertEquals(kind.body.details.causes.map(({ reason, field }: Loose) => [reason, field]), [
    ["FieldValueInvalid", "patch"],
  ]);
  assertStringIncludes(kind.body.message, ' "" is invalid: patch: Invalid value: ');
  assertStringIncludes(kind.body.message, "no kind match");
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { apiVersion: "v2" })).status, 422);
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { data: "text" })).status, 422);
  const unknown = await api.patch(`${CONFIG_MAPS}/a?fieldValidation=Strict`, { dat: {} });
  assertStringIncludes(unknown.body.message, "strict decoding error: unknown field");
  assertEquals(unknown.status, 422);
});

const applied = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", ...workload("d", spec) });

Deno.test("ApiServer refuses to apply over another manager's field, unless forced", async () => {
  using api = new Harness({ managedFields: true });
  const apply = (manager: string, body: object, query = "") =>
    api.patch(`${DEPLOYMENTS}/d?fieldManager=${manager}${query}`, body, APPLY);
  assertEquals((await apply("one", applied({ replicas: 1 }))).status, 201);
  const conflict = await apply("two", applied({ replicas: 2 }));
  assertEquals([conflict.status, conflict.body.reason], [409, "Conflict"]);
  assertEquals(conflict.body.message, 'Apply failed with 1 conflict: conflict with "one": .spec.replicas');
  assertEquals(conflict.body.details.causes, [
    { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.replicas" },
  ]);
  assertEquals((await apply("two", applied({ replicas: 2 }), "&force=true")).body.spec.replicas, 2);
  const back = await apply("one", applied({ replicas: 1 }));
  assertEquals(back.body.message, 'Apply failed with 1 conflict: conflict with "two": .spec.replicas');
});

Deno.test("ApiServer removes what an applier no longer applies and nobody else owns", async () => {
  using api = new Harness({ managedFields: true });
  const apply = (manager: string, body: object) => api.patch(`${CONFIG_MAPS}/a?fieldManager=${manager}`, body, APPLY);
  const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data });
  await apply("one", map({ mine: "1", shared: "1" }));
  await apply("two", map({ shared: "1" }));
  await api.patch(`${CONFIG_MAPS}/a`, { data: { updated: "by hand" } });
  const { body } = await apply("one", map({ other: "2" }));
  assertEquals(body.data, { shared: "1", updated: "by hand", other: "2" });
});

Deno.test("ApiServer refuses an apply without manager, kind, or with managedFields", async () => {
  using api = new Harness();
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const anonymous = await api.patch(`${CONFIG_MAPS}/a`, body, APPLY);
  assertEquals(anonymous.status, 422);
  assertStringIncludes(anonymous.body.message, "fieldManager: Required value: is required for apply patch");
  const status = async (patch: object) => (await api.patch(`${CONFIG_MAPS}/a?fieldManager=m`, patch, APPLY)).status;
  assertEquals(await status({ metadata: { name: "a" } }), 400);
  assertEquals(await status({ ...body, metadata: { name: "a", managedFields: [] } }), 400);
  assertEquals(await status(body), 201);
});

Deno.test("ApiServer records who wrote which fields, by operation and subresource", async () => {
  using api = new Harness({ managedFields: true });
  await api.post(DEPLOYMENTS, workload("d"));
  await api.patch(`${DEPLOYMENTS}/d/status`, { status: { replicas: 1 } });
  const { body } = await api.send("PATCH", `${DEPLOYMENTS}/d`, { spec: { replicas: 5 } }, {
    contentType: MERGE,
    headers: { "user-agent": "scaler/1.0 (linux)" },
  });
  const entries = body.metadata.managedFields.map((
    entry: Record<string, unknown>,
  ) => [entry.manager, entry.subresource ?? "", entry.operation]);
  assertEquals(entries, [["test", "", "Update"], ["test", "status", "Update"], ["scaler", "", "Update"]]);
  assertEquals(body.metadata.managedFields[1].fieldsV1, { "f:status": { "f:replicas": {} } });
  assertEquals(body.metadata.managedFields[2].fieldsV1, { "f:spec": { "f:replicas": {} } });
  assertEquals(body.metadata.managedFields[0].fieldsV1["f:spec"]["f:replicas"], undefined);
});

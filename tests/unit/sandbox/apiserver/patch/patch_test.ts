import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, Harness, JSON_PATCH, type Loose, MERGE, STRATEGIC } from "../harness.ts";
import { strategicMerge } from "../../../../../src/sandbox/apiserver/patch/strategic.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";

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
  assertStringIncludes(kind.body.message, "it is a Secret of v1, not a ConfigMap of v1");
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { apiVersion: "v2" })).status, 422);
  assertEquals((await api.patch(`${CONFIG_MAPS}/a`, { data: "text" })).status, 422);
  const unknown = await api.patch(`${CONFIG_MAPS}/a?fieldValidation=Strict`, { dat: {} });
  assertStringIncludes(unknown.body.message, "strict decoding error: unknown field");
  assertEquals(unknown.status, 422);
});

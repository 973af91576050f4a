import { assertEquals, assertStringIncludes } from "@std/assert";
import { APPLY, CONFIG_MAPS, DEPLOYMENTS, Harness, type Loose, MERGE, workload } from "../harness.ts";
import { appliedFields, misfits } from "../../../../../src/sandbox/apiserver/apply/applied_fields.ts";
import { compare } from "../../../../../src/sandbox/apiserver/apply/compare.ts";
import { intersect, pathTexts, subtract, union } from "../../../../../src/sandbox/apiserver/apply/field_set.ts";
import { mergeApplied } from "../../../../../src/sandbox/apiserver/apply/merge.ts";
import { shapeOf } from "../../../../../src/sandbox/apiserver/schema/shape.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";

const deployment = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", ...workload("d", spec) });
const map = (data: object | undefined, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  ...data ? { data } : {},
});

/** A server that records owners, and short ways to write as somebody. */
class Owned extends Harness {
  constructor() {
    super({ managedFields: true });
  }

  apply(manager: string, body: object, { path = `${CONFIG_MAPS}/a`, query = "" } = {}) {
    return this.patch(`${path}?fieldManager=${manager}${query}`, body, APPLY);
  }

  update(manager: string, body: object, path = `${CONFIG_MAPS}/a`) {
    return this.patch(`${path}?fieldManager=${manager}`, body, MERGE);
  }
}

/** Owners as `manager operation subresource: paths`. */
function ownersOf({ metadata }: Loose): string[] {
  return (metadata.managedFields ?? []).map((entry: Loose) =>
    `${[entry.manager, entry.operation, entry.subresource].filter(Boolean).join(" ")}: ${
      pathTexts(entry.fieldsV1).join(" ")
    }`
  );
}

const FIELD_SETS: ReadonlyArray<readonly [what: string, actual: unknown, expected: unknown]> = [
  ["union has the paths of both", union({ "f:a": {} }, { "f:a": { "f:b": {} } }), { "f:a": { ".": {}, "f:b": {} } }],
  ["subtract leaves what the other has not", subtract({ "f:a": {}, "f:b": { "f:c": {} } }, { "f:b": {} }), {
    "f:a": {},
    "f:b": { "f:c": {} },
  }],
  ["subtract leaves nothing of the same", subtract({ "f:a": { ".": {} } }, { "f:a": {} }), undefined],
  ["intersect has what both have", intersect({ "f:a": {}, "f:b": {} }, { "f:b": {}, "f:c": {} }), { "f:b": {} }],
  [
    "pathTexts writes keys, values and fields",
    pathTexts({ "f:a": { 'k:{"name":"x"}': { ".": {}, "f:b": {} }, 'v:"y"': {} } }),
    ['.a[name="x"]', '.a[="y"]', '.a[name="x"].b'],
  ],
];
for (const [what, actual, expected] of FIELD_SETS) Deno.test(`FieldSet ${what}`, () => assertEquals(actual, expected));

const POD_SPEC = shapeOf(structOf("core.v1.PodSpec")!);
const META = shapeOf(structOf("meta.v1.ObjectMeta")!);

const APPLIED: ReadonlyArray<readonly [what: string, value: object, expected: object | undefined]> = [
  ["owns leaves, not the structs above them", { dnsConfig: { nameservers: ["1.1.1.1"] } }, {
    "f:dnsConfig": { "f:nameservers": {} },
  }],
  ["owns items by their keys, with those that are defaults", {
    containers: [{ name: "c", ports: [{ containerPort: 80 }] }],
  }, {
    "f:containers": {
      'k:{"name":"c"}': {
        ".": {},
        "f:name": {},
        "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
      },
    },
  }],
  ["owns atomic lists and maps as a whole", { tolerations: [{ key: "a" }], nodeSelector: { a: "b" } }, {
    "f:nodeSelector": {},
    "f:tolerations": {},
  }],
  ["owns what is empty or null itself", { containers: [], securityContext: {}, hostname: null }, {
    "f:hostname": {},
    "f:securityContext": {},
  }],
  ["owns nothing of nothing", {}, undefined],
];
for (const [what, value, expected] of APPLIED) {
  Deno.test(`appliedFields ${what}`, () => assertEquals(appliedFields(value, POD_SPEC), expected));
}

const MISFITS: ReadonlyArray<readonly [what: string, value: object, expected: string[]]> = [
  ["fields that are not declared", { foo: 1 }, [".foo: field not declared in schema"]],
  ["lists that are none", { containers: {} }, [".containers: expected list, got an object"]],
  ["items that come twice", { containers: [{ name: "c" }, { name: "c" }] }, [
    '.containers: duplicate entries for key [name="c"]',
  ]],
  ["items that are no maps", { containers: ["c"] }, [
    ".containers: element 0: an item of a list with keys must be an object",
  ]],
  ["texts that are numbers", { priority: "1", hostname: 1 }, [
    ".priority: expected numeric (int or float), got a string",
    ".hostname: expected string, got a number",
  ]],
];
for (const [what, value, expected] of MISFITS) {
  Deno.test(`misfits names ${what}`, () => assertEquals(misfits(value, POD_SPEC), expected));
}

Deno.test("compare tells what changed from what went", () => {
  const old = { labels: { a: "1", b: "1" }, finalizers: ["x/y"] };
  const { changed, removed } = compare(old, { labels: { a: "2", c: "1" }, finalizers: ["x/y", "z/z"] }, META);
  assertEquals(changed, { "f:finalizers": { 'v:"z/z"': {} }, "f:labels": { "f:a": {}, "f:c": {} } });
  assertEquals(removed, { "f:labels": { "f:b": {} } });
});

Deno.test("mergeApplied keeps what others have in lists with keys, and puts new items in the order of the applier", () => {
  const live = { containers: [{ name: "a", image: "1" }, { name: "b" }] };
  const merged = mergeApplied(live, { containers: [{ name: "c" }, { name: "a", tty: true }] }, POD_SPEC);
  assertEquals(merged, { containers: [{ name: "c" }, { name: "a", image: "1", tty: true }, { name: "b" }] });
});

Deno.test("Apply over another's field is refused with its path, unless it is forced", async () => {
  using api = new Owned();
  const apply = (manager: string, replicas: number, query = "") =>
    api.apply(manager, deployment({ replicas }), { path: `${DEPLOYMENTS}/d`, query });
  assertEquals((await apply("one", 1)).status, 201);
  const conflict = await apply("two", 2);
  assertEquals([conflict.status, conflict.body.reason], [409, "Conflict"]);
  assertEquals(conflict.body.message, 'Apply failed with 1 conflict: conflict with "one": .spec.replicas');
  assertEquals(conflict.body.details.causes, [
    { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.replicas" },
  ]);
  assertEquals((await apply("two", 2, "&force=true")).body.spec.replicas, 2);
  const back = await apply("one", 1);
  assertEquals(back.body.message, 'Apply failed with 1 conflict: conflict with "two": .spec.replicas');
});

Deno.test("Apply over what was updated names the version of the update", async () => {
  using api = new Owned();
  await api.apply("one", map({ x: "1", y: "1" }));
  await api.update("hand", { data: { x: "2", y: "2" } });
  const { status, body } = await api.apply("one", map({ x: "3", y: "3" }));
  assertEquals(status, 409);
  assertEquals(
    body.message,
    'Apply failed with 2 conflicts: conflicts with "hand" using v1:\n- .data.x\n- .data.y',
  );
});

Deno.test("Apply removes what its applier no longer applies and nobody else owns", async () => {
  using api = new Owned();
  await api.apply("one", map({ mine: "1", shared: "1" }));
  await api.apply("two", map({ shared: "1" }));
  await api.update("hand", { data: { updated: "by hand" } });
  const { body } = await api.apply("one", map({ other: "2" }));
  assertEquals(body.data, { shared: "1", updated: "by hand", other: "2" });
});

Deno.test("Apply of null is one of an empty value, and that of nothing gives fields up", async () => {
  using api = new Owned();
  await api.apply("one", map({ x: "1" }, { labels: { l: "1" } }));
  assertEquals((await api.apply("one", map({ x: null }))).body.data, { x: "" });
  const { body } = await api.apply("one", map(undefined));
  assertEquals([body.metadata.labels, body.metadata.managedFields], [undefined, undefined]);
});

Deno.test("Apply that changes nothing writes nothing", async () => {
  using api = new Owned();
  const { body: first } = await api.apply("one", map({ x: "1" }));
  const { body: again } = await api.apply("one", map({ x: "1" }));
  assertEquals(again.metadata.resourceVersion, first.metadata.resourceVersion);
});

Deno.test("Apply in a dry run stores nothing", async () => {
  using api = new Owned();
  assertEquals((await api.apply("one", map({ x: "1" }), { query: "&dryRun=All" })).status, 201);
  assertEquals((await api.get(`${CONFIG_MAPS}/a`)).status, 404);
});

Deno.test("Apply over an object without owners gives its fields to before-first-apply", async () => {
  using api = new Owned();
  await api.post(CONFIG_MAPS, map({ x: "1", y: "1" }));
  await api.update("hand", { metadata: { managedFields: [] } });
  assertEquals(ownersOf((await api.update("hand", { data: { z: "1" } })).body), []);
  const conflict = await api.apply("one", map({ x: "2" }));
  assertStringIncludes(conflict.body.message, 'conflict with "before-first-apply" using v1: .data.x');
  const { body } = await api.apply("one", map({ x: "2" }), { query: "&force=true" });
  assertEquals(ownersOf(body), [
    "one Apply: .data.x",
    "before-first-apply Update: .data .data.y .data.z",
  ]);
});

const RESETS: ReadonlyArray<readonly [what: string, managedFields: unknown]> = [["[]", []], ["[{}]", [{}]]];
for (const [what, managedFields] of RESETS) {
  Deno.test(`managedFields of ${what} are forgotten`, async () => {
    using api = new Owned();
    await api.post(CONFIG_MAPS, map({ x: "1" }));
    const { body } = await api.update("hand", { metadata: { managedFields } });
    assertEquals(ownersOf(body), []);
  });
}

Deno.test("Owners are recorded by manager, operation and subresource", async () => {
  using api = new Owned();
  await api.post(DEPLOYMENTS, workload("d"));
  await api.update("scaler", { spec: { replicas: 5 } }, `${DEPLOYMENTS}/d`);
  const { body } = await api.update("status", { status: { replicas: 1 } }, `${DEPLOYMENTS}/d/status`);
  const [scaler, status, test] = ownersOf(body);
  assertEquals([scaler, status], ["scaler Update: .spec.replicas", "status Update status: .status.replicas"]);
  assertEquals([test.startsWith("test Update: "), test.includes(".spec.replicas")], [true, false]);
});

Deno.test("Owners of replicas through scale have no time, and lose them to whoever sets them next", async () => {
  using api = new Owned();
  await api.post(DEPLOYMENTS, workload("d"));
  await api.update("scaler", { spec: { replicas: 5 } }, `${DEPLOYMENTS}/d/scale`);
  const { body } = await api.get(`${DEPLOYMENTS}/d`);
  const entry = body.metadata.managedFields.find(({ manager }: Loose) => manager === "scaler");
  assertEquals(entry, {
    manager: "scaler",
    operation: "Update",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
    subresource: "scale",
  });
  const after = await api.update("hand", { spec: { replicas: 6 } }, `${DEPLOYMENTS}/d`);
  assertEquals(ownersOf(after.body).filter((owner) => owner.startsWith("scaler")), []);
});

Deno.test("Owners of more than ten updates are put together, the oldest first", async () => {
  using api = new Owned();
  await api.post(CONFIG_MAPS, map({ a0: "0" }));
  for (let i = 1; i <= 12; i++) {
    await api.world.clock.advance(1000);
    await api.update(`m${i}`, { data: { [`a${i}`]: "1" } });
  }
  const { body } = await api.get(`${CONFIG_MAPS}/a`);
  const managers = body.metadata.managedFields.map(({ manager }: Loose) => manager);
  assertEquals(managers.length, 10);
  assertEquals(managers.includes("ancient-changes"), true);
  assertEquals(managers.includes("m1"), false);
  assertEquals(managers.includes("m12"), true);
});

const REFUSED: ReadonlyArray<readonly [what: string, patch: string | object, status: number, message: string]> = [
  ["what is no YAML", "a: [", 400, "error decoding YAML: yaml: "],
  ["no object", "[]", 400, "it must be an object, not a list"],
  ["no kind", { apiVersion: "v1", metadata: { name: "a" } }, 400, "invalid object type: /v1, Kind="],
  ["another kind", { ...map({}), kind: "Secret" }, 400, "invalid object type: /v1, Kind=Secret"],
  ["another name", map({}, { name: "b" }), 400, "the name of the object (b) does not match the name on the URL (a)"],
  ["owners", map({}, { managedFields: [] }), 400, "metadata.managedFields must be nil"],
  ["unknown fields", { ...map({}), foo: 1 }, 500, ".foo: field not declared in schema"],
];
for (const [what, patch, status, message] of REFUSED) {
  Deno.test(`Apply of ${what} is refused`, async () => {
    using api = new Owned();
    const { status: code, body } = await api.patch(`${CONFIG_MAPS}/a?fieldManager=m`, patch, APPLY);
    assertEquals(code, status);
    assertStringIncludes(body.message, message);
  });
}

Deno.test("Apply without a manager is refused", async () => {
  using api = new Owned();
  const { status, body } = await api.patch(`${CONFIG_MAPS}/a`, map({}), APPLY);
  assertEquals(status, 422);
  assertStringIncludes(body.message, "fieldManager: Required value: is required for apply patch");
});

Deno.test("Apply by kubectl does not conflict with what kubectl applied as a client", async () => {
  using api = new Owned();
  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  const sent = map({ x: "1", y: "1" });
  const annotated = map({ x: "1", y: "1" }, { annotations: { [lastApplied]: JSON.stringify(sent) } });
  await api.send("POST", `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`, annotated);
  const { status, body } = await api.apply("kubectl", map({ x: "2" }));
  assertEquals([status, body.data], [200, { x: "2", y: "1" }]);
  assertEquals((await api.apply("other", map({ x: "3" }))).status, 409);
});

import { assertEquals } from "@std/assert";
import { CONFIG_MAPS, Harness, type Loose, pod, PODS } from "../harness.ts";
import { humanDuration } from "../../../../../src/sandbox/apiserver/tables/columns/age.ts";
import { parseJsonPath } from "../../../../../src/sandbox/apiserver/tables/json_path.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

Deno.test("humanDuration shows two units at most, as kubectl does", () => {
  const cases: [durationMs: number, text: string][] = [
    [-2 * SECOND, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119 * SECOND, "119s"],
    [2 * MINUTE, "2m"],
    [2 * MINUTE + SECOND, "2m1s"],
    [10 * MINUTE + SECOND, "10m"],
    [179 * MINUTE, "179m"],
    [3 * HOUR, "3h"],
    [3 * HOUR + MINUTE, "3h1m"],
    [8 * HOUR + MINUTE, "8h"],
    [47 * HOUR, "47h"],
    [2 * DAY + HOUR, "2d1h"],
    [8 * DAY + HOUR, "8d"],
    [729 * DAY, "729d"],
    [2 * 365 * DAY + DAY, "2y1d"],
    [8 * 365 * DAY + DAY, "8y"],
  ];
  for (const [durationMs, text] of cases) assertEquals(humanDuration(durationMs), text);
});

Deno.test("parseJsonPath reads the paths that definitions have", () => {
  const root = {
    spec: { size: 3, "a.b": "dotted", tags: ["x", "y", "z"], list: [{ n: 1, v: "a" }, { n: 2, v: "b" }, { v: "c" }] },
    conditions: [{ type: "Live", status: "False" }, { type: "Ready", status: "True" }],
  };
  const cases: [path: string, values: unknown[]][] = [
    [".spec.size", [3]],
    ["spec.size", [3]],
    [".spec['size']", [3]],
    [".spec.a\\.b", ["dotted"]],
    [".spec['a.b']", ["dotted"]],
    [".spec.tags[0]", ["x"]],
    [".spec.tags[-1]", ["z"]],
    [".spec.tags[1:]", ["y", "z"]],
    [".spec.tags[*]", ["x", "y", "z"]],
    [".spec.tags", [["x", "y", "z"]]],
    [".spec.none.deeper", []],
    [".spec.tags[9]", []],
    [".spec.list[*].v", ["a", "b", "c"]],
    ['.conditions[?(@.type=="Ready")].status', ["True"]],
    ["[?(@.type=='Ready')]", []],
    [".spec.list[?(@.n>1)].v", ["b"]],
    [".spec.list[?(@.n<=1)].v", ["a"]],
    [".spec.list[?(@.n)].v", ["a", "b"]],
    [".spec.list[?(@.v!='a')].v", ["b", "c"]],
  ];
  for (const [path, values] of cases) assertEquals(parseJsonPath(path)?.(root), values, path);
});

Deno.test("parseJsonPath gives nothing for what is no path", () => {
  for (const path of [".spec[", ".spec[?(@.a==)]", ".spec[a-b]"]) assertEquals(parseJsonPath(path), undefined, path);
});

Deno.test("Tables show a pod as kubectl prints it", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, pod("p"));
  await api.world.clock.advance(125_000);
  const { body } = await api.get(PODS, { accept: TABLE });
  assertEquals(body.columnDefinitions.map(({ name, priority }: Loose) => `${name}${priority ? "*" : ""}`), [
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
    "IP*",
    "Node*",
    "Nominated Node*",
    "Readiness Gates*",
  ]);
  assertEquals(body.rows[0].cells.slice(0, 5), ["p", "0/1", "Pending", "0", "2m5s"]);
});

Deno.test("Tables include of each object what is asked for", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const included = async (query: string) =>
    (await api.get(`${CONFIG_MAPS}/a${query}`, { accept: TABLE })).body.rows[0].object?.kind;
  assertEquals(await included(""), "PartialObjectMetadata");
  assertEquals(await included("?includeObject=Metadata"), "PartialObjectMetadata");
  assertEquals(await included("?includeObject=Object"), "ConfigMap");
  assertEquals(await included("?includeObject=None"), undefined);
  const wrong = await api.get(`${CONFIG_MAPS}?includeObject=All`, { accept: TABLE });
  assertEquals([wrong.status, wrong.body.message], [
    400,
    "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', " +
    "'None', or empty",
  ]);
});

Deno.test("Tables of kinds without columns of their own show when things were created", async () => {
  using api = new Harness();
  const limits = "/api/v1/namespaces/default/limitranges";
  const empty = await api.get(limits, { accept: TABLE });
  assertEquals([empty.body.columnDefinitions.map(({ name }: Loose) => name), empty.body.rows], [
    ["Name", "Created At"],
    null,
  ]);
  await api.post(limits, { metadata: { name: "l" }, spec: { limits: [] } });
  assertEquals((await api.get(limits, { accept: TABLE })).body.rows[0].cells, ["l", "2026-01-01T00:00:00Z"]);
  assertEquals((await api.get(CONFIG_MAPS, { accept: TABLE })).body.rows, []);
});

Deno.test("Table watches tell their columns in the first table alone", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const watch = await api.watch(CONFIG_MAPS, "", { accept: TABLE });
  // Written before the first object was read: it comes after it all the same.
  await api.post(CONFIG_MAPS, { metadata: { name: "b" }, data: { k: "v" } });
  const columns = ({ object }: Loose) => object.columnDefinitions?.map(({ name }: Loose) => name);
  const events = [await watch.next(), await watch.next()];
  await watch.cancel();
  assertEquals(events.map(({ type, object }: Loose) => [type, object.rows[0].cells.slice(0, 2)]), [
    ["ADDED", ["a", 0]],
    ["ADDED", ["b", 1]],
  ]);
  assertEquals(events.map(columns), [["Name", "Data", "Age"], undefined]);
});

Deno.test("Table watches that begin empty tell their columns with the first event", async () => {
  using api = new Harness();
  const watch = await api.watch(CONFIG_MAPS, "", { accept: TABLE });
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await api.post(CONFIG_MAPS, { metadata: { name: "b" } });
  const events = [await watch.next(), await watch.next()];
  await watch.cancel();
  assertEquals(events.map(({ object }: Loose) => object.columnDefinitions?.length), [3, undefined]);
});

Deno.test("Table watches get bookmarks as tables", async () => {
  using api = new Harness();
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&includeObject=None";
  const watch = await api.watch(CONFIG_MAPS, query, { accept: TABLE });
  await watch.next();
  const { type, object } = await watch.next();
  await watch.cancel();
  assertEquals([type, object.kind, object.columnDefinitions, object.rows[0].cells], ["BOOKMARK", "Table", null, [
    "",
    0,
    "<unknown>",
  ]]);
  assertEquals(object.rows[0].object.metadata.annotations, { "k8s.io/initial-events-end": "true" });
});

Deno.test("Tables show something for every kind, even of an object that has nothing", async () => {
  using api = new Harness();
  const { body: { items } } = await api.get("/apis", {
    accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  });
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  for (const { metadata, versions } of items) {
    for (const { version, resources } of versions) {
      for (const { resource, verbs } of resources) {
        if (!verbs.includes("watch")) continue;
        const watch = await api.watch(`/apis/${metadata.name}/${version}/${resource}`, query, { accept: TABLE });
        let event = await watch.next();
        while (event.type === "ADDED") event = await watch.next();
        await watch.cancel();
        const { columnDefinitions, rows } = event.object;
        // A bookmark has nothing but a resourceVersion.
        assertEquals([event.type, rows[0].cells.includes(null)], ["BOOKMARK", false], resource);
        if (columnDefinitions) assertEquals(rows[0].cells.length >= columnDefinitions.length, true, resource);
      }
    }
  }
});

Deno.test("Tables mark pods that have ended", async () => {
  using api = new Harness();
  await api.account("default");
  for (const [name, phase] of [["a", "Running"], ["b", "Succeeded"], ["c", "Failed"]]) {
    await api.post(PODS, pod(name));
    await api.patch(`${PODS}/${name}/status`, { status: { phase } });
  }
  const { rows } = (await api.get(PODS, { accept: TABLE })).body;
  assertEquals(rows.map(({ conditions }: Loose) => conditions?.[0]), [
    undefined,
    { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
    { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
  ]);
});

const gizmos = (columns: object[] | undefined) => ({
  metadata: { name: "gizmos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Gizmo", plural: "gizmos" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      additionalPrinterColumns: columns,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
});

const GIZMOS = "/apis/example.com/v1/namespaces/default/gizmos";

/** What is printed of a custom resource with `spec`. */
async function printed(columns: object[] | undefined, spec: object): Promise<{ names: string[]; cells: unknown[] }> {
  using api = new Harness();
  await api.post(DEFINITIONS, gizmos(columns));
  await api.world.clock.advance(1000);
  await api.post(GIZMOS, { apiVersion: "example.com/v1", kind: "Gizmo", metadata: { name: "g" }, spec });
  await api.world.clock.advance(5 * MINUTE);
  const { columnDefinitions, rows } = (await api.get(GIZMOS, { accept: TABLE })).body;
  return { names: columnDefinitions.map(({ name }: Loose) => name), cells: rows[0].cells };
}

Deno.test("Tables of custom resources show their age where the definition names no columns", async () => {
  assertEquals(await printed(undefined, {}), { names: ["Name", "Age"], cells: ["g", "5m"] });
});

Deno.test("Tables of custom resources show values of a column's type and nothing else", async () => {
  const column = (type: string, jsonPath: string) => ({ name: type, type, jsonPath });
  const columns = ["integer", "number", "boolean", "date", "string"].map((type) => column(type, `.spec.${type}`));
  const right = { integer: 7, number: 1.5, boolean: false, date: "2025-12-31T00:00:00Z", string: "text" };
  assertEquals((await printed(columns, right)).cells, ["g", 7, 1.5, false, "24h", "text"]);
  const wrong = { integer: "7", number: true, boolean: "no", date: "someday", string: { b: 1, a: [true] } };
  assertEquals((await printed(columns, wrong)).cells, ["g", null, null, null, "<invalid>", '{"a":[true],"b":1}']);
  assertEquals((await printed(columns, {})).cells, ["g", null, null, null, null, null]);
});

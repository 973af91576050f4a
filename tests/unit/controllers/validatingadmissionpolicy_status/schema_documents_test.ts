import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld, TurnBudget } from "../../../../src/base/mod.ts";
import { StatusError } from "../../../../src/client/mod.ts";
import { SchemaDocuments } from "../../../../src/controllers/validatingadmissionpolicy_status/schema_documents.ts";
import { readSchemas } from "../../../../src/controllers/validatingadmissionpolicy_status/read_schemas.ts";
import { finish } from "../../cel/run.ts";

const { signal } = new AbortController();

function documentOf(group: string, kind: string): unknown {
  const schema = {
    type: "object",
    description: "what nobody needs",
    properties: { a: { allOf: [{ $ref: "#/components/schemas/x" }], default: {} }, b: { items: { type: "string" } } },
    "x-kubernetes-group-version-kind": [{ group, version: "v1", kind }],
  };
  return { components: { schemas: { [`${group}.${kind}`]: schema } } };
}

/** Documents from a server that says how each group is now. */
function setUp() {
  const { clock } = new FakeWorld();
  const hashes: Record<string, string> = {};
  const asked: string[] = [];
  const answer = (path: string): unknown => {
    if (path === "/openapi/v3") {
      const paths = Object.entries(hashes).map(([group, hash]) => [`apis/${group}/v1`, { serverRelativeURL: hash }]);
      return { paths: Object.fromEntries(paths) };
    }
    const group = path.split("/").at(-2)!;
    if (group.startsWith("gone")) throw new StatusError({ code: 404, reason: "NotFound", message: "no" });
    if (group.startsWith("broken")) throw new StatusError({ code: 500, reason: "InternalError", message: "no" });
    return documentOf(group === "v3" ? "" : group, "Thing");
  };
  const client = {
    requestText: async (_method: string, path: string) => {
      asked.push(path);
      await Promise.resolve();
      return { contentType: "application/json", text: JSON.stringify(answer(path)) };
    },
  };
  const documents = new SchemaDocuments({ client, budget: new TurnBudget(clock) });
  const has = async (group: string) =>
    await documents.of({ group, version: "v1", kind: "Thing" }, signal) !== undefined;
  return { documents, hashes, asked, has };
}

Deno.test("SchemaDocuments: the document of a built-in group is read once as long as it is kept; of any other, whenever the server says that it changed", async () => {
  const { hashes, asked, has } = setUp();
  assertEquals([await has("apps"), await has("apps")], [true, true]);
  assertEquals(asked.splice(0), ["/openapi/v3/apis/apps/v1"]);
  assertEquals(await has("example.com"), false);
  hashes["example.com"] = "1";
  assertEquals([await has("example.com"), await has("example.com")], [true, true]);
  hashes["example.com"] = "2";
  assertEquals(await has("example.com"), true);
  const [index, document] = ["/openapi/v3", "/openapi/v3/apis/example.com/v1"];
  assertEquals(asked, [index, index, document, index, index, document]);
});

Deno.test("SchemaDocuments: callers that ask at the same time for a document that is not kept share one answer", async () => {
  const { asked, has } = setUp();
  await Promise.all([has("apps"), has("apps"), has("batch")]);
  assertEquals(asked, ["/openapi/v3/apis/apps/v1", "/openapi/v3/apis/batch/v1"]);
});

Deno.test("SchemaDocuments: at most 16 documents are kept", async () => {
  const { hashes, asked, has } = setUp();
  const groups = Array.from({ length: 17 }, (_, i) => `g${i}.example.com`);
  for (const group of groups) hashes[group] = "1";
  for (const group of groups) await has(group);
  asked.length = 0;
  await has(groups[16]);
  await has(groups[0]);
  assertEquals(asked.filter((path) => path !== "/openapi/v3"), ["/openapi/v3/apis/g0.example.com/v1"]);
});

Deno.test("SchemaDocuments: a document that is not there has no schemas; one that cannot be read is an error", async () => {
  const { hashes, has } = setUp();
  Object.assign(hashes, { "gone.example.com": "1", "broken.example.com": "1" });
  assertEquals(await has("gone.example.com"), false);
  await assertRejects(() => has("broken.example.com"), StatusError);
  await assertRejects(() => has("broken.example.com"), StatusError);
});

Deno.test("readSchemas keeps of a schema what types are made of", () => {
  const { kinds, byReference } = finish(readSchemas(documentOf("g", "Thing")));
  assertEquals([...kinds], [["g/v1/Thing", "#/components/schemas/g.Thing"]]);
  assertEquals([...byReference.values()], [{
    type: "object",
    properties: { a: { allOf: [{ $ref: "#/components/schemas/x" }] }, b: { items: { type: "string" } } },
  }]);
});

Deno.test("readSchemas finds nothing in something other than a document, and looks 500 levels deep", () => {
  for (const document of [null, 1, [], { components: 1 }, { components: { schemas: [] } }]) {
    assertEquals(finish(readSchemas(document)).byReference.size, 0);
  }
  let schema: Record<string, unknown> = { type: "string" };
  for (let i = 0; i < 5_000; i++) schema = { type: "array", items: schema };
  let read = finish(readSchemas({ components: { schemas: { a: schema } } })).byReference.values().next().value;
  let depth = 0;
  for (; read?.items; read = read.items) depth++;
  assertEquals(depth, 500);
});

import { assertEquals } from "@std/assert";
import { joined, renderSchemas } from "../../../.ci/generate/published_api.ts";

Deno.test("joined() sorts what all documents have by name", () => {
  const [a, b, c] = ["a", "b", "c"].map((type) => ({ type }));
  const [get, put] = [{ get: { "x-kubernetes-action": "get" } }, { put: { "x-kubernetes-action": "put" } }];
  assertEquals(
    JSON.stringify(joined([
      { paths: { "/apis/x/v1/": put }, components: { schemas: { c, a } } },
      { paths: { "/api/": get }, components: { schemas: { b, a } } },
      { paths: {} },
    ])),
    JSON.stringify({ schemas: { a, b, c }, paths: { "/api/": get, "/apis/x/v1/": put } }),
  );
});

Deno.test("renderSchemas() writes a schema a line, without documentation, and names the version", () => {
  const text = renderSchemas({
    a: { description: "A.", properties: { description: { type: "string", description: "What it is." } } },
    b: { items: { description: "B.", type: "string" } },
  }, "v1.2.3");
  assertEquals(
    text,
    `{"kubernetes":"v1.2.3","schemas":{\n"a":{"properties":{"description":{"type":"string"}}},\n"b":{"items":{"type":"string"}}\n}}\n`,
  );
});

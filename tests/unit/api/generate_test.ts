import { assertEquals, assertStringIncludes } from "@std/assert";
import { descriptionsOf, optionalParts } from "../../../src/api/extract_openapi.ts";
import { renderTypes, typeNames } from "../../../src/api/generate_types.ts";

const SERVED = { "io.k8s.api.x.v1.Thing": { type: "object", properties: { size: { type: "integer" } } } };
const ALPHA = {
  "io.k8s.api.x.v1alpha1.Thing": { type: "object", properties: { size: { type: "integer" } } },
  "io.k8s.api.x.v1alpha1.Draft": { type: "object", properties: { kind: { type: "string" } } },
};

Deno.test("typeNames() leaves what is served by default its name, whatever other versions there are", () => {
  assertEquals(Object.fromEntries(typeNames(SERVED, ALPHA)), {
    "io.k8s.api.x.v1.Thing": "Thing",
    "io.k8s.api.x.v1alpha1.Thing": "XV1alpha1Thing",
    "io.k8s.api.x.v1alpha1.Draft": "Draft",
  });
});

Deno.test("renderTypes() writes documentation as comments that no text of it ends", () => {
  const text = renderTypes(SERVED, {}, { "io.k8s.api.x.v1.Thing": { "": "A thing.", size: "Its size, */5.\nIn cm." } });
  assertStringIncludes(text, "/** A thing. */\nexport interface Thing {\n");
  assertStringIncludes(text, "  /**\n   * Its size, *\\/5.\n   * In cm.\n   */\n  size?: number;\n");
});

Deno.test("optionalParts() and descriptionsOf() take apart what the published documents add", () => {
  const get = {
    "x-kubernetes-action": "list",
    "x-kubernetes-group-version-kind": { group: "x", version: "v2", kind: "T" },
  };
  const documents = [{
    paths: { "/apis/x/v2/ts": { get }, "/apis/x/v1/ts": { get } },
    components: {
      schemas: {
        ...SERVED,
        "x.v2.T": {
          description: "T",
          type: "object",
          properties: {
            kind: { type: "string", description: "K" },
            a: { type: "string", default: "", description: "A (LATER: B.) C" },
          },
        },
      },
    },
  }];
  assertEquals(optionalParts(documents, SERVED, { "/apis/x/v1/ts": {} }), {
    schemas: { "x.v2.T": { type: "object", properties: { kind: { type: "string" }, a: { type: "string" } } } },
    paths: { "/apis/x/v2/ts": { get: { action: "list", gvk: { group: "x", version: "v2", kind: "T" } } } },
  });
  assertEquals(descriptionsOf(documents), { "io.k8s.api.x.v1.Thing": {}, "x.v2.T": { "": "T", a: "A C" } });
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import { renderTypes, typeNames } from "../../../.ci/generate/types.ts";

Deno.test("typeNames() leaves what is served by default its name, whatever other versions there are", () => {
  const thing = { type: "object", properties: { size: { type: "integer" } } };
  const schemas = {
    "io.k8s.api.x.v1alpha1.Draft": { type: "object", properties: { kind: { type: "string" } } },
    "io.k8s.api.x.v1alpha1.Thing": thing,
    "io.k8s.api.x.v1.Thing": thing,
  };
  assertEquals(Object.fromEntries(typeNames(schemas)), {
    "io.k8s.api.x.v1.Thing": "Thing",
    "io.k8s.api.x.v1alpha1.Thing": "XV1alpha1Thing",
    "io.k8s.api.x.v1alpha1.Draft": "Draft",
  });
});

Deno.test("renderTypes() writes documentation as comments that no text of it ends, without what authors noted to do", () => {
  const text = renderTypes({
    "io.k8s.api.x.v1.Thing": {
      description: "A (LATER: B.) thing.",
      properties: {
        kind: { type: "string", description: "Its kind." },
        size: { type: "integer", description: "Its size, */5.\nIn cm." },
      },
    },
  });
  assertStringIncludes(text, "/** A thing. */\nexport interface Thing {\n  kind?: string;\n");
  assertStringIncludes(text, "  /**\n   * Its size, *\\/5.\n   * In cm.\n   */\n  size?: number;\n");
});

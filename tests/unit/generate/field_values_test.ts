import { assertEquals, assertThrows } from "@std/assert";
import { addValues } from "../../../.ci/generate/field_values.ts";

const SOURCE = `
func schema_k8sio_api_x_v1_Thing(ref common.ReferenceCallback) common.OpenAPIDefinition {
	return common.OpenAPIDefinition{
		Schema: spec.Schema{
			SchemaProps: spec.SchemaProps{
				Properties: map[string]spec.Schema{
					"plain": {
						SchemaProps: spec.SchemaProps{
							Type:        []string{"string"},
						},
					},
					"one": {
						SchemaProps: spec.SchemaProps{
							Description: "Enum:        []interface{}{\\"x\\"},",
							Enum:        []interface{}{"", "a b"},
						},
					},
					"many": {
						SchemaProps: spec.SchemaProps{
							Items: &spec.SchemaOrArray{
								Schema: &spec.Schema{
									SchemaProps: spec.SchemaProps{
										Enum:    []interface{}{"c"},
									},
								},
							},
						},
					},
				},
			},
		},
	}
}

func schema_pkg_apis_y_v1_Thing(ref common.ReferenceCallback) common.OpenAPIDefinition {
					"one": {
							Enum:        []interface{}{"d"},
					},
}
`;

Deno.test("addValues() adds the values of fields, of items and of entries, from upstream's code", () => {
  const string = () => ({ type: "string" });
  const schemas = {
    "io.k8s.api.x.v1.Thing": {
      properties: { plain: string(), one: string(), many: { type: "array", items: string() } },
    },
    "io.k8s.y-server.pkg.apis.y.v1.Thing": {
      properties: { one: { type: "object", additionalProperties: string() } },
    },
  };
  addValues(schemas, SOURCE);
  assertEquals<unknown>(schemas, {
    "io.k8s.api.x.v1.Thing": {
      properties: {
        plain: { type: "string" },
        one: { type: "string", enum: ["", "a b"] },
        many: { type: "array", items: { type: "string", enum: ["c"] } },
      },
    },
    "io.k8s.y-server.pkg.apis.y.v1.Thing": {
      properties: { one: { type: "object", additionalProperties: { type: "string", enum: ["d"] } } },
    },
  });
});

Deno.test("addValues() refuses code that does not have a type of the API: its form has changed", () => {
  const schemas = { "io.k8s.api.x.v1.Other": { properties: {} } };
  assertThrows(() => addValues(schemas, SOURCE), Error, "io.k8s.api.x.v1.Other");
});

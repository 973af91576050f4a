import { assertEquals, assertThrows } from "@std/assert";
import type { CustomResourceDefinition, JSONSchemaProps } from "../../../../../src/api/mod.ts";
import { CERTIFICATES, ROLLOUTS, SERVICE_MONITORS } from "../custom/definitions.ts";
import { DecodeError, normalise } from "../../../../../src/sandbox/apiserver/schema/normalise.ts";
import { structOf } from "../../../../../src/sandbox/apiserver/schema/types.ts";
import { definitionWarnings } from "../../../../../src/sandbox/apiserver/definitions/definition_warnings.ts";
import { validateDefinition } from "../../../../../src/sandbox/apiserver/definitions/definition_rules.ts";
import { FieldErrors } from "../../../../../src/sandbox/apiserver/validation/field_errors.ts";

/** A definition as defaulting leaves it, with one version of this schema. */
function definition(schema: JSONSchemaProps, version: object = {}, spec: object = {}): CustomResourceDefinition {
  return {
    metadata: { name: "bees.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "bees", singular: "bee", kind: "Bee", listKind: "BeeList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      conversion: { strategy: "None" },
      ...spec,
    },
    status: { storedVersions: ["v1"] },
  };
}

function said(one: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const errors = new FieldErrors();
  validateDefinition(one, errors, old);
  return errors.causes.map(({ field, message }) => `${field}: ${message}`);
}

const AT = "spec.validation.openAPIV3Schema";
const inSpec = (schema: JSONSchemaProps): JSONSchemaProps => ({ type: "object", properties: { spec: schema } });
const list = (marks: object, items: JSONSchemaProps = { type: "string" }) => inSpec({ type: "array", items, ...marks });
const KEYED = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"] };
const either = [{ type: "integer" }, { type: "string" }];

/** Schema, and what is said about it. */
const SCHEMAS: ReadonlyArray<readonly [schema: JSONSchemaProps, said: readonly string[]]> = [
  [{ type: "object" }, []],
  [{}, [`${AT}.type: Required value`]],
  [{ type: "string" }, [`${AT}.type: Invalid value: "string": must be object at the root`]],
  [{ type: "object", nullable: true }, [`${AT}.nullable: Forbidden: nullable cannot be true at the root`]],
  [{ type: "object", additionalProperties: true }, [
    `${AT}.additionalProperties: Forbidden: must not be used at the root`,
  ]],
  [inSpec({}), [`${AT}.properties[spec].type: Required value`]],
  [inSpec({ type: "strin" }), [
    `${AT}.properties[spec].type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", ` +
    '"object", "string"',
  ]],
  [inSpec({ type: "array" }), [`${AT}.properties[spec].items: Required value: must be specified`]],
  [list({}, {}), [`${AT}.properties[spec].items.type: Required value`]],
  [inSpec({ type: "string", anyOf: [{ type: "string" }] }), [
    `${AT}.properties[spec].anyOf[0].type: Forbidden: must not be set to be structural`,
  ]],
  [inSpec({ "x-kubernetes-int-or-string": true, anyOf: either }), []],
  [inSpec({ "x-kubernetes-int-or-string": true, allOf: [{ anyOf: either }, { pattern: "a" }] }), []],
  [inSpec({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }), [
    `${AT}.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if ` +
    "x-kubernetes-int-or-string is true",
  ]],
  [{ type: "object", allOf: [{ properties: { b: { minLength: 1 } } }] }, [
    `${AT}.properties[b]: Required value: because it is defined in ${AT}.allOf[0].properties[b]`,
  ]],
  // Upstream only looks at the root.
  [inSpec({ type: "object", allOf: [{ properties: { b: { minLength: 1 } } }] }), []],
  [inSpec({ type: "string", not: { description: "x", nullable: true } }), [
    `${AT}.properties[spec].not.description: Forbidden: must not be set to be structural`,
    `${AT}.properties[spec].not.nullable: Forbidden: must not be set to be structural`,
  ]],
  [{ type: "object", anyOf: [{ properties: { metadata: {} } }], properties: { metadata: { type: "object" } } }, [
    `${AT}.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context`,
  ]],
  [{ type: "object", properties: { metadata: { type: "object", properties: { name: { type: "string" } } } } }, []],
  [{ type: "object", properties: { metadata: { type: "object", description: "x" } } }, [
    `${AT}.properties[metadata]: Forbidden: may only restrict name and generateName`,
  ]],
  [{ type: "object", properties: { kind: { type: "integer" } } }, [
    `${AT}.properties[kind].type: Invalid value: "integer": must be string`,
  ]],
  [inSpec({ type: "string", pattern: "a(?=b)" }), [
    `${AT}.properties[spec].pattern: Invalid value: "a(?=b)": must be a valid regular expression, but isn't: error parsing ` +
    "regexp: invalid or unsupported Perl syntax: `(?=b)`",
  ]],
  [inSpec({ type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "string" } } }), [
    `${AT}.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
  ]],
  [inSpec({ "$ref": "#/a" }), [`${AT}.properties[spec].$ref: Forbidden: $ref is not supported`]],
  [inSpec({ type: "object", "$schema": "x" }), [`${AT}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`]],
  [inSpec({ type: "array", items: [{ type: "string" }] }), [
    `${AT}.properties[spec].items: Forbidden: items must be a schema object and not an array`,
  ]],
  [inSpec({ type: "object", "x-kubernetes-preserve-unknown-fields": false }), [
    `${AT}.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
  ]],
  [inSpec({ type: "object", "x-kubernetes-embedded-resource": true }), [
    `${AT}.properties[spec].properties: Required value: of an embedded resource`,
  ]],
  [list({ uniqueItems: true }), [
    `${AT}.properties[spec].uniqueItems: Forbidden: cannot be set to true`,
  ]],
  [list({ "x-kubernetes-list-type": "bag" }), [
    `${AT}.properties[spec].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`,
  ]],
  [list({ "x-kubernetes-list-type": "set" }, { type: "object" }), [
    `${AT}.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with ` +
    "x-kubernetes-list-type=set",
  ]],
  [list(KEYED, { type: "object", properties: { n: { type: "string", default: "" } } }), []],
  [list(KEYED, { type: "object", properties: { n: { type: "string" } } }), [
    `${AT}.properties[spec].items.properties[n].default: Required value: a key must have a default or be required`,
  ]],
  [list(KEYED, { type: "object", properties: { m: { type: "string" } } }), [
    `${AT}.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["n"]: entries must all be names of item properties`,
  ]],
  [inSpec({ type: "string", "x-kubernetes-map-type": "odd" }), [
    `${AT}.properties[spec].type: Invalid value: "string": must be object`,
    `${AT}.properties[spec].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"`,
  ]],
  [inSpec({ type: "string", default: 5 }), [
    `${AT}.properties[spec].default: Invalid value: "integer": must be of type string`,
  ]],
  [inSpec({ type: "object", default: { x: 1 } }), [
    `${AT}.properties[spec].default: Invalid value: {"x":1}: must not have unknown fields`,
  ]],
  [inSpec({ type: "string", enum: ["a"], default: "b" }), [
    `${AT}.properties[spec].default: Unsupported value: "b": supported values: "a"`,
  ]],
  [{ type: "object", properties: { metadata: { type: "object", default: {} } } }, [
    `${AT}.properties[metadata].default: Forbidden: must not be set in top-level metadata`,
  ]],
  [
    inSpec({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { kind: "X" },
    }),
    [`${AT}.properties[spec].default.apiVersion: Required value`],
  ],
  [inSpec({ type: "string", "x-kubernetes-validations": [{ rule: " " }, { rule: "true", reason: "Odd" }] }), [
    `${AT}.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
    `${AT}.properties[spec].x-kubernetes-validations[1].reason: Unsupported value: "Odd": supported values: ` +
    '"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
  ]],
];

for (const [schema, expected] of SCHEMAS) {
  Deno.test(`validateDefinition judges the schema ${JSON.stringify(schema)}`, () => {
    assertEquals(said(definition(schema)), [...expected]);
  });
}

const SPEC = { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } };
const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };

/** What a version says besides, and what is said about it. */
const VERSIONS: ReadonlyArray<readonly [version: object, said: readonly string[]]> = [
  [{ name: "V1" }, ["spec.versions[0].name", "spec.version", "status.storedVersions", "status.storedVersions[0]"]],
  [{ schema: undefined }, ["spec.versions[0].schema.openAPIV3Schema"]],
  [{ storage: false }, ["spec.versions"]],
  [{ served: false }, []],
  [{ deprecationWarning: "x" }, ["spec.versions[0].deprecationWarning"]],
  [{ deprecated: true, deprecationWarning: "gone\nsoon" }, ["spec.versions[0].deprecationWarning"]],
  [{ subresources: { scale } }, []],
  [{ subresources: { scale: { ...scale, specReplicasPath: ".replicas" } } }, [
    "spec.subresources.scale.specReplicasPath",
  ]],
  [{ subresources: { scale: { ...scale, statusReplicasPath: "" } } }, ["spec.subresources.scale.statusReplicasPath"]],
  [{ subresources: { scale: { ...scale, labelSelectorPath: ".metadata.x" } } }, [
    "spec.subresources.scale.labelSelectorPath",
  ]],
  [{ subresources: { status: {} }, schema: { openAPIV3Schema: { ...SPEC, oneOf: [{ required: ["spec"] }] } } }, [AT]],
  [{ additionalPrinterColumns: [{ name: "a", type: "int", jsonPath: "x" }] }, [
    "spec.additionalPrinterColumns[0].type",
    "spec.additionalPrinterColumns[0].JSONPath",
  ]],
  [{ selectableFields: [{ jsonPath: ".spec.a" }] }, []],
  [{
    selectableFields: [{ jsonPath: ".spec" }, { jsonPath: ".spec.b" }, { jsonPath: "a" }, { jsonPath: ".spec['a']" }],
  }, [
    "spec.selectableFields[0].jsonPath",
    "spec.selectableFields[1].jsonPath",
    "spec.selectableFields[2].jsonPath",
    "spec.selectableFields[3].jsonPath",
  ]],
];

for (const [version, fields] of VERSIONS) {
  Deno.test(`validateDefinition judges a version with ${JSON.stringify(version)}`, () => {
    assertEquals(said(definition(SPEC, version)).map((text) => text.split(": ")[0]), [...fields]);
  });
}

const WEBHOOK = { service: { namespace: "a", name: "b" } };

/** What the definition says besides, and what is said about it. */
const SPECS: ReadonlyArray<readonly [spec: object, said: readonly string[]]> = [
  [{ group: "example" }, ["metadata.name", "spec.group"]],
  [{ scope: "Everywhere" }, ["spec.scope"]],
  [{ names: { plural: "bees", singular: "bee", kind: "Bee", listKind: "Bee" } }, ["spec.names.listKind"]],
  [{ names: { plural: "bees", singular: "bee", kind: "Bee", listKind: "BeeList", shortNames: ["B"] } }, [
    "spec.names.shortNames[0]",
  ]],
  [{ versions: [] }, ["spec.versions", "status.storedVersions[0]"]],
  [{ preserveUnknownFields: true }, ["spec.preserveUnknownFields"]],
  [{ conversion: { strategy: "Odd" } }, ["spec.conversion.strategy"]],
  [{ conversion: { strategy: "Webhook" } }, [
    "spec.conversion.webhookClientConfig",
    "spec.conversion.conversionReviewVersions",
  ]],
  [{ conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } }, [
    "spec.conversion.conversionReviewVersions",
  ]],
  [{ conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: WEBHOOK } } }, [
    "spec.conversion.strategy",
  ]],
];

for (const [spec, fields] of SPECS) {
  Deno.test(`validateDefinition judges a definition with ${JSON.stringify(spec)}`, () => {
    assertEquals(said(definition(SPEC, {}, spec)).map((text) => text.split(": ")[0]), [...fields]);
  });
}

Deno.test("validateDefinition names what versions do not have in common by version", () => {
  const [first] = definition(SPEC).spec.versions;
  const second = { ...first, name: "v2", storage: false, schema: { openAPIV3Schema: inSpec({}) } };
  const texts = said(definition(SPEC, {}, { versions: [first, second] }));
  assertEquals(texts, [
    "spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value",
  ]);
});

Deno.test("validateDefinition lets an update change neither group nor plural, nor kind and scope once established", () => {
  const established = { type: "Established", status: "True" };
  const old = definition(SPEC);
  const change = definition(SPEC, {}, {
    scope: "Cluster",
    names: { ...old.spec.names, kind: "Wasp", listKind: "Wasps" },
  });
  assertEquals(said(change, old), []);
  old.status = { storedVersions: ["v1"], conditions: [established] };
  assertEquals(said(change, old).map((text) => text.split(": ")[0]), ["spec.scope", "spec.names.kind"]);
  const renamed = definition(SPEC, {}, { names: { ...old.spec.names, plural: "wasps" } });
  assertEquals(said(renamed, old), ['spec.names.plural: Invalid value: "wasps": field is immutable']);
});

Deno.test("validateDefinition asks for the approval of community groups", () => {
  const bees = definition(SPEC, {}, { group: "bees.k8s.io" });
  bees.metadata!.name = "bees.bees.k8s.io";
  assertEquals(said(bees).length, 1);
  bees.metadata!.annotations = { "api-approved.kubernetes.io": "because" };
  assertEquals(said(bees).length, 1);
  for (const approval of ["unapproved, for tests", "https://example.com/1"]) {
    bees.metadata!.annotations = { "api-approved.kubernetes.io": approval };
    assertEquals(said(bees), []);
  }
});

Deno.test("validateDefinition accepts what clusters are full of", () => {
  for (const one of [CERTIFICATES, SERVICE_MONITORS, ROLLOUTS]) {
    const { names, versions } = one.spec;
    const storedVersions = versions.filter(({ storage }) => storage).map(({ name }) => name);
    const listKind = `${names.kind}List`;
    const spec = { ...one.spec, names: { singular: names.kind.toLowerCase(), ...names, listKind } };
    assertEquals(said({ ...one, spec, status: { storedVersions } }), []);
  }
});

Deno.test("definitionWarnings tells of formats that mean nothing, once, and of rules that are not enforced", () => {
  const odd = definition(inSpec({ type: "string", format: "odd" }));
  assertEquals(definitionWarnings(odd), ['unrecognized format "odd"']);
  assertEquals(definitionWarnings(odd, odd), []);
  const ruled = definition(inSpec({ type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] }));
  assertEquals(definitionWarnings(ruled).length, 1);
  assertEquals(definitionWarnings(ruled, ruled), []);
});

const SCHEMA = structOf("apiextensions.v1.JSONSchemaProps")!;

Deno.test("normalise drops what is unknown or empty from a schema", () => {
  const unknown: string[] = [];
  const schema = {
    type: "object",
    odd: 1,
    description: "",
    properties: { a: { type: "object", minProperties: 0, nullable: false, odd: 1, required: [], default: null } },
    additionalProperties: { odd: 1 },
    items: [{ type: "string" }],
    dependencies: { a: ["b"] },
  };
  assertEquals(normalise(schema, SCHEMA, { unknown }), {
    type: "object",
    items: [{ type: "string" }],
    properties: { a: { type: "object", minProperties: 0 } },
    additionalProperties: {},
    dependencies: { a: ["b"] },
  });
  assertEquals(unknown.sort(), ["odd", "properties.a.odd"]);
});

/** A schema that cannot be read, and why. */
const UNREADABLE: ReadonlyArray<readonly [schema: unknown, why: string]> = [
  [{ type: 5 }, "type: must be a string, not a number"],
  [{ properties: { a: 5 } }, "properties.a: must be an object, not a number"],
  [{ maxLength: 1.5 }, "maxLength: must be an integer of 64 bits, not 1.5"],
  [{ required: "a" }, "required: must be a list, not a string"],
  [{ additionalProperties: 1 }, "additionalProperties: must be a boolean or an object, not a number"],
];

for (const [schema, why] of UNREADABLE) {
  Deno.test(`normalise refuses the schema ${JSON.stringify(schema)}`, () => {
    assertEquals(assertThrows(() => normalise(schema, SCHEMA), DecodeError).message, why);
  });
}

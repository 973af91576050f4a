import { assertEquals } from "@std/assert";
import type { JSONSchemaProps } from "../../../../../src/api/mod.ts";
import { parseJson } from "../../../../../src/base/mod.ts";
import { compileSchema } from "../../../../../src/sandbox/apiserver/custom/compile.ts";
import { Findings, reportFindings } from "../../../../../src/sandbox/apiserver/custom/checks.ts";
import { FieldErrors } from "../../../../../src/sandbox/apiserver/validation/field_errors.ts";

/** What is said about `value`, each as `field: message`. */
function problems(schema: JSONSchemaProps, value: unknown, before?: unknown): string[] {
  const found = new Findings();
  compileSchema(schema)(value, "spec", found, before === undefined ? undefined : { value: before });
  const errors = new FieldErrors();
  reportFindings(found, "", errors);
  return errors.causes.map(({ field, message }) => `${field}: ${message}`);
}

/** Schema, value, what is said; fields and kinds of errors are those of kube-apiserver v1.36. */
const TABLE: ReadonlyArray<readonly [schema: JSONSchemaProps, value: unknown, said: readonly string[]]> = [
  [{ type: "string" }, "a", []],
  [{ type: "string" }, 5, [`spec: Invalid value: "integer": must be of type string`]],
  [{ type: "string" }, 1.5, [`spec: Invalid value: "number": must be of type string`]],
  [{ type: "string" }, [], [`spec: Invalid value: "array": must be of type string`]],
  [{ type: "object" }, "a", [`spec: Invalid value: "string": must be of type object`]],
  [{ type: "array" }, {}, [`spec: Invalid value: "object": must be of type array`]],
  [{ type: "string" }, null, [`spec: Invalid value: "null": must be of type string`]],
  [{ type: "string", nullable: true }, null, []],
  [{ type: "number" }, 5, []],
  [{ type: "integer" }, 5.0, []],
  [{ type: "integer" }, 1.5, [
    `spec: Invalid value: "number": must be of type integer`,
    '<nil>: Invalid value: "": the value of spec must be of type integer',
  ]],
  [{ type: "integer", format: "int32" }, 2147483647, []],
  [{ type: "integer", format: "int32" }, 2147483648, [
    '<nil>: Invalid value: "": the value of spec must be of type integer and format int32',
  ]],
  [{ type: "integer", maximum: 5 }, 7, [`spec: Invalid value: 7: should be less than or equal to 5`]],
  [{ type: "integer", maximum: 5, exclusiveMaximum: true }, 5, [
    `spec: Invalid value: 5: should be less than 5`,
  ]],
  [{ type: "number", minimum: 0.5 }, 0.25, [
    `spec: Invalid value: 0.25: should be greater than or equal to 0.5`,
  ]],
  [{ type: "integer", minimum: 0, exclusiveMinimum: true }, 0, [
    `spec: Invalid value: 0: should be greater than 0`,
  ]],
  [{ type: "integer", multipleOf: 4 }, 6, [`spec: Invalid value: 6: should be a multiple of 4`]],
  [{ type: "number", multipleOf: 0.1 }, 0.3, []],
  [{ type: "string", minLength: 2 }, "😀", [`spec: Invalid value: "😀": should be at least 2 characters long`]],
  [{ type: "string", maxLength: 1 }, "😀", []],
  [{ type: "string", maxLength: 4 }, "abcde", ["spec: Too long: may not be more than 4 bytes"]],
  [{ type: "string", pattern: "^[a-z]+$" }, "A", [`spec: Invalid value: "A": should match '^[a-z]+$'`]],
  [{ type: "string", format: "date" }, "2026-02-30", [
    `spec: Invalid value: "2026-02-30": must be of type date`,
  ]],
  [{ type: "string", format: "nonsense" }, "anything", []],
  [{ type: "string", enum: ["a", "b"] }, "c", ['spec: Unsupported value: "c": supported values: "a", "b"']],
  [{ type: "integer", enum: [1, 2] }, 3, ['spec: Unsupported value: 3: supported values: "1", "2"']],
  [{ type: "object", enum: [{ a: 1 }] }, { a: 1 }, []],
  [{ type: "string", nullable: true, enum: ["a"] }, null, ['spec: Unsupported value: null: supported values: "a"']],
  [{ type: "array", items: { type: "string" } }, ["a", 1], [
    'spec[1]: Invalid value: "integer": must be of type string',
  ]],
  [{ type: "array", minItems: 1 }, [], [`spec: Invalid value: 0: should have at least 1 items`]],
  [{ type: "array", maxItems: 1 }, [1, 2], ["spec: Too many: 2: must have at most 1 item"]],
  [{ type: "object", required: ["a", "b"] }, { b: 1 }, ["spec.a: Required value"]],
  [{ type: "object", minProperties: 1 }, {}, [`spec: Invalid value: 0: should have at least 1 properties`]],
  [{ type: "object", maxProperties: 1 }, { a: 1, b: 2 }, ["spec: Too many: 2: must have at most 1 item"]],
  [{ type: "object", additionalProperties: { type: "integer" } }, { k: "v" }, [
    'spec.k: Invalid value: "string": must be of type integer',
  ]],
  [{ type: "object", additionalProperties: false }, { k: 1 }, [
    'spec: Invalid value: "k": is a forbidden property',
  ]],
  [{ "x-kubernetes-int-or-string": true }, "5%", []],
  [{ "x-kubernetes-int-or-string": true }, true, [
    `spec: Invalid value: "boolean": must be of type integer,string`,
  ]],
  [{ type: "string", not: { enum: ["a"] } }, "a", [
    '<nil>: Invalid value: "": spec must not match its schema (not)',
  ]],
  [{ type: "integer", allOf: [{ minimum: 2 }, { maximum: 9 }] }, 1, [
    `spec: Invalid value: 1: should be greater than or equal to 2`,
    '<nil>: Invalid value: "": spec must match all of its schemas (allOf)',
  ]],
  [{ type: "object", oneOf: [{ required: ["p"] }, { required: ["q"] }] }, {}, [
    '<nil>: Invalid value: "": spec must match exactly one of its schemas, not 0 (oneOf)',
    "spec.p: Required value",
  ]],
  [{ type: "object", oneOf: [{ required: ["p"] }, { required: ["q"] }] }, { p: 1, q: 1 }, [
    '<nil>: Invalid value: "": spec must match exactly one of its schemas, not 2 (oneOf)',
  ]],
  [{ type: "string", anyOf: [{ pattern: "^a" }, { maxLength: 1 }] }, "bb", [
    '<nil>: Invalid value: "": spec must match one of its schemas (anyOf)',
    `spec: Invalid value: "bb": should match '^a'`,
  ]],
];

for (const [schema, value, said] of TABLE) {
  Deno.test(`compileSchema finds what kube-apiserver finds: ${JSON.stringify(schema)} of ${JSON.stringify(value)}`, () => {
    assertEquals(problems(schema, value), [...said]);
  });
}

Deno.test("compileSchema tells of anyOf the alternative that knows most of the value", () => {
  const near = { properties: { kind: { enum: ["a"] }, size: { maximum: 1 } } };
  const far = { properties: { kind: { enum: ["b"] } } };
  const said = problems({ type: "object", anyOf: [far, near] }, { kind: "a", size: 2 });
  assertEquals(said.slice(1), ["spec.size: Invalid value: 2: should be less than or equal to 1"]);
});

Deno.test("compileSchema holds integers beyond 2^53 to their bounds", () => {
  const big = parseJson("9223372036854775807");
  assertEquals(problems({ type: "integer", format: "int64" }, big), []);
  assertEquals(problems({ type: "integer", maximum: 5 }, big), [
    `spec: Invalid value: 9223372036854775807: should be less than or equal to 5`,
  ]);
  assertEquals(problems({ type: "integer" }, parseJson("9223372036854775808")).length, 1);
});

Deno.test("compileSchema forgives what was wrong before and has not changed", () => {
  const schema: JSONSchemaProps = {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 1 },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id"],
        items: { type: "object", properties: { id: { type: "string" }, n: { type: "integer", maximum: 1 } } },
      },
      plain: { type: "array", items: { type: "integer", maximum: 1 } },
    },
  };
  const old = { name: "ab", list: [{ id: "a", n: 5 }, { id: "b", n: 5 }], plain: [5] };
  assertEquals(problems(schema, { ...old, other: 1 }, old), []);
  assertEquals(problems(schema, { ...old, list: [{ id: "b", n: 5 }, { id: "a", n: 6 }] }, old).length, 1);
  assertEquals(problems(schema, { ...old, plain: [5, 1] }, old).length, 1);
  assertEquals(problems(schema, { ...old, name: "abc" }, old).length, 1);
});

Deno.test("A list with more faults than a call has arguments is refused, not failed", () => {
  const items: JSONSchemaProps = { minimum: 1 };
  const schema: JSONSchemaProps = { type: "array", items: { type: "integer" }, allOf: [{ items }] };
  const found = problems(schema, new Array(200_000).fill(0));
  assertEquals(found[0], "spec[0]: Invalid value: 0: should be greater than or equal to 1");
});

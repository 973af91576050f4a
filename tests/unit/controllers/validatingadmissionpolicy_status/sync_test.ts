/** What is found wrong with policies. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ValidatingAdmissionPolicySpec } from "../../../../src/api/mod.ts";
import type { Schema } from "../../../../src/cel/mod.ts";
import { demanding, rule, SERVED, type Served, Stage } from "./stage.ts";

const foo = (type: string): Served => ({
  deployments: { ...SERVED.deployments, schema: { type: "object", properties: { foo: { type } } } },
});
const bar: Served = { deployments: { ...SERVED.deployments, schema: { type: "object", properties: {} } } };
const PARAM: Schema = { type: "object", properties: { foo: { type: "string" } } };
const params = (schema?: Schema): Served => ({
  ...foo("string"),
  params: { group: "example.com", version: "v1", kind: "Param", schema },
});
const paramKind = { apiVersion: "example.com/v1", kind: "Param" };
const at = (i: number) => `spec.validations[${i}].expression`;
const open: Schema = { type: "object", additionalProperties: true };

/** What a warning says, by the field it is about. */
type Expected = Readonly<Record<string, readonly string[]>>;

const TABLE: ReadonlyArray<readonly [title: string, ValidatingAdmissionPolicySpec, Expected, served?: Served]> = [
  ["an expression that fits", demanding(["object.spec.replicas > 1"]), {}],
  ["one of two that does not fit", demanding(["object.spec.replicas < 100", "object.spec.replicas > '1'"]), {
    [at(1)]: ["found no matching overload for '_>_' applied to '(int, string)'"],
  }],
  ["two that do not fit", demanding(["object.spec.nonExistingFirst > 1", "object.spec.replicas > '1'"]), {
    [at(0)]: ["undefined field 'nonExistingFirst'"],
    [at(1)]: ["'(int, string)'"],
  }],
  ["one with two errors", demanding(["object.spec.replicas > '1' && object.spec.nonExisting == 1"]), {
    [at(0)]: ["'(int, string)'", "undefined field 'nonExisting'"],
  }],
  ["a policy about nothing", { validations: [{ expression: "object.nope" }] }, {}],
  ["a kind without a schema", demanding(["object.nope"]), {}, {
    deployments: { ...SERVED.deployments, schema: undefined },
  }],
  ["a field that is not there", demanding(["object.foo == 'bar'"]), { [at(0)]: ["undefined field 'foo'"] }, bar],
  ["a field of another type", demanding(["object.foo == 'bar'"]), {
    [at(0)]: ["found no matching overload for '_==_' applied to '(int, string)'"],
  }, foo("integer")],
  [
    "a message",
    demanding([], { validations: [{ expression: "object.foo == 'bar'", messageExpression: "object.foo + 114514" }] }),
    { "spec.validations[0].messageExpression": ["'_+_' applied to '(string, int)'"] },
    foo("string"),
  ],
  [
    "parameters",
    demanding(["object.foo == params.bar"], { paramKind }),
    { [at(0)]: ["undefined field 'bar'"] },
    params(PARAM),
  ],
  [
    "parameters of which nothing is known",
    demanding(["params != null && params.x == 1"], { paramKind }),
    {},
    params({}),
  ],
  ["parameters without a schema", demanding(["params.x == 1"], { paramKind }), {}, params()],
  [
    "parameters of a kind that cannot be understood",
    demanding(["params.x == 1"], { paramKind: { apiVersion: "a/b/c", kind: "Param" } }),
    { [at(0)]: ["undeclared reference to 'params' (in container '')"] },
  ],
  ["the authorizer", demanding(["authorizer.group('').resource('endpoints').check('create').allowed()"]), {}],
  ["the authorizer misused", demanding(["authorizer.allowed()"]), { [at(0)]: ["no matching overload for 'allowed'"] }],
  ["a variable", demanding(["variables.works"], { variables: [{ name: "works", expression: "true" }] }), {}],
  ["a variable that is not there", demanding(["variables.nonExisting"]), {
    [at(0)]: ["undefined field 'nonExisting'"],
  }],
  [
    "a variable of another type",
    demanding(["variables.name == object.foo"], { variables: [{ name: "name", expression: "'something'" }] }),
    { [at(0)]: ["'_==_' applied to '(string, int)'"] },
    foo("integer"),
  ],
  [
    "a variable that is wrong itself",
    demanding(["variables.bad == 1"], { variables: [{ name: "bad", expression: "object.nope + 1" }] }),
    {},
  ],
  ["all resources", demanding(["object.nope"], { matchConstraints: { resourceRules: [rule(["apps"], ["*"])] } }), {}],
  ["subresources", demanding(["object.nope"], { matchConstraints: { resourceRules: [rule([""], ["pods/*"])] } }), {}],
  ["a schema without a type", demanding(["true && object.x.y"]), {}, {
    deployments: { ...SERVED.deployments, schema: {} },
  }],
  ["objects with any fields", demanding(["object.spec != null"]), {}, {
    deployments: { ...SERVED.deployments, schema: { type: "object", properties: { spec: open } } },
  }],
  [
    "other expressions are not checked",
    demanding(["true"], {
      matchConditions: [{ name: "a", expression: "object.nope" }],
      auditAnnotations: [{ key: "a", valueExpression: "object.nope" }],
    }),
    {},
  ],
];

for (const [title, spec, expected, served] of TABLE) {
  Deno.test(`a policy is checked: ${title}`, async () => {
    const { observedGeneration, warnings, isChecked } = await new Stage(served).sync(spec);
    assertEquals([observedGeneration, isChecked], [1, true]);
    assertEquals(Object.keys(warnings), Object.keys(expected));
    for (const [fieldRef, texts] of Object.entries(expected)) {
      for (const text of texts) assertStringIncludes(warnings[fieldRef], text);
    }
  });
}

Deno.test("a policy's status is applied by upstream's field manager, and typeChecking is there though empty", async () => {
  const stage = new Stage();
  await stage.sync(demanding(["true"]), { metadata: { name: "p", generation: 7 }, status: { observedGeneration: 6 } });
  assertEquals(stage.requests, [[
    { metadata: { name: "p" }, status: { observedGeneration: 7, typeChecking: {} } },
    { subresource: "status", fieldManager: "validatingadmissionpolicy-status", force: true, signal: undefined },
  ]]);
});

Deno.test("a policy is left alone whose generation was observed, and one that is gone", async () => {
  const stage = new Stage();
  await stage.sync(demanding(["true"]), { status: { observedGeneration: 1 } });
  await stage.sync(demanding(["true"]), { status: { observedGeneration: 2 } });
  await stage.syncGone();
  assertEquals([stage.requests, stage.lookedUp], [[], []]);
});

Deno.test("a warning names each kind, in order, with types that bear a number", async () => {
  const stage = new Stage();
  const resourceRules = [rule(["apps"], ["deployments"]), rule([""], ["pods"])];
  const { warnings } = await stage.sync(demanding(["object == 1"], { matchConstraints: { resourceRules } }));
  const [warning] = Object.values(warnings);
  const expected = ["/v1, Kind=Pod", "apps/v1, Kind=Deployment"].map((kind) =>
    `${kind}: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(${kind.split("=")[1]}N, int)'\n` +
    " | object == 1\n | .......^\n"
  );
  assertEquals(warning.replaceAll(/(Pod|Deployment)\d+/g, "$1N"), expected.join("\n"));
});

Deno.test("an expression that takes too long is left out and logged, the others are checked", async () => {
  const stage = new Stage();
  const endless = `[1]${".map(x, {x: x})".repeat(60)} == []`;
  const { warnings } = await stage.sync(demanding([endless, "object.nope == 1"]));
  assertEquals(Object.keys(warnings), [at(1)]);
  assertEquals(stage.world.log.lines.some((line) => line.message === "Expression of the policy is not checked"), true);
});

Deno.test("warnings that are too long to be stored are left out", async () => {
  const stage = new Stage();
  const long = Array.from({ length: 100 }, (_, i) => `object.no${i} == 1`).join(" || ") +
    ` || '${"x".repeat(12_000)}' == ''`;
  const { warnings, observedGeneration } = await stage.sync(demanding(["object.nope == 1", long, "object.nope2"]));
  assertEquals([Object.keys(warnings), observedGeneration], [[at(0)], 1]);
});

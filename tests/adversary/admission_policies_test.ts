/**
 * Somebody who may write admission policies and definitions of kinds, against the check of their expressions: it ends, every policy has
 * its status, and a Deployment somewhere else is not kept waiting.
 *
 * | attack                                                | what bounds it                                                      |
 * | ----------------------------------------------------- | ------------------------------------------------------------------- |
 * | expressions of 100,000 characters                     | reading and checking may be interrupted between any two parts       |
 * | expressions nested as deep as they can be             | the depth of the grammar's rules, as in cel-go                      |
 * | types and macros that double with each level          | steps and copied parts are counted; the expression is refused        |
 * | a kind of 10,000 fields, and one 200 levels deep      | fields get their types when they are asked for                      |
 * | warnings longer than an object may be                 | their length is counted; the rest is left out                       |
 * | 500 policies at once                                  | documents are kept; all workers share one budget of the thread      |
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  CUSTOMRESOURCEDEFINITIONS,
  DEPLOYMENTS,
  type JSONSchemaProps,
  VALIDATINGADMISSIONPOLICIES,
  type ValidatingAdmissionPolicy,
} from "../../src/api/mod.ts";
import { parseExpression } from "../../src/cel/mod.ts";
import { objects, type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";
import { definitionOf } from "../scenarios/custom_kind.ts";
import { about, type Rule } from "../scenarios/policy_kit.ts";

/** In virtual time; alone it takes less than five seconds. */
const SOON_MS = 10_000;
const DEPLOYMENTS_RULE: Rule = { groups: ["apps"], resources: ["deployments"] };

function policy(name: string, expressions: readonly string[], rule = DEPLOYMENTS_RULE): ValidatingAdmissionPolicy {
  return {
    metadata: { name },
    spec: { matchConstraints: about(rule), validations: expressions.map((expression) => ({ expression })) },
  };
}

/** Waits until the policy was checked, and gives what was found wrong. */
async function found(cluster: TestCluster, name: string): Promise<ReadonlyMap<string, string>> {
  const { status } = await cluster.eventually(`policy ${name} was checked`, async () => {
    const checked = await cluster.client.get(VALIDATINGADMISSIONPOLICIES, { name });
    return checked.status?.observedGeneration === checked.metadata?.generation && checked;
  });
  const warnings = status?.typeChecking?.expressionWarnings ?? [];
  return new Map(warnings.map(({ fieldRef, warning }) => [fieldRef, warning]));
}

/** Attacks a cluster of all controllers, and asks for a Deployment besides. */
function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`Policies with ${what} keep nobody waiting`, () =>
    withTestCluster({}, async (cluster) => {
      await run(cluster);
      const namespace = await cluster.namespace("shop");
      await cluster.client.create(DEPLOYMENTS, objects.deployment("web", { replicas: 3, metadata: { namespace } }));
      await cluster.eventually("the Deployment is there", async () => {
        const { status } = await cluster.client.get(DEPLOYMENTS, { namespace, name: "web" });
        return status?.availableReplicas === 3;
      }, { withinMs: SOON_MS });
    }));
}

const LONG = {
  terms: `${"object.spec.replicas == 1 && ".repeat(3_400)}true`,
  list: `[${"1,".repeat(48_000)}1] == []`,
  lists: `[${"[],".repeat(32_000)}[]] == []`,
  map: `{${"1:1,".repeat(24_000)}1:1} == {}`,
  text: `'${"é".repeat(99_000)}' == ''`,
  errors: Array.from({ length: 3_000 }, (_, i) => `object.no${i} == 1`).join(" || "),
};

attack("expressions of 100,000 characters", async (cluster) => {
  for (const [name, expression] of Object.entries(LONG)) {
    await cluster.client.create(VALIDATINGADMISSIONPOLICIES, policy(name, [expression]));
  }
  for (const name of Object.keys(LONG)) {
    assertEquals((await found(cluster, name)).size, name === "errors" ? 1 : 0, name);
  }
  const [errors] = (await found(cluster, "errors")).values();
  assert(errors.endsWith("2900 more errors were truncated\n"), errors.slice(-200));
});

Deno.test("Reading an expression of 100,000 characters may be interrupted a thousand times", () => {
  for (const [name, expression] of Object.entries(LONG)) {
    let steps = 0;
    for (const _ of parseExpression(expression)) steps++;
    assert(name === "text" || steps > 500, `${name}: ${steps}`);
  }
});

attack("expressions nested as deep as they can be", async (cluster) => {
  const deep = [
    `${"(".repeat(240)}object.nope == 1${")".repeat(240)}`,
    `object${".nope".repeat(240)} == 1`,
    `object.nope${" + 1".repeat(240)} == 1`,
    `${"[".repeat(240)}object.nope${"]".repeat(240)} == []`,
    `object.spec.template.spec.containers${".map(c, c".repeat(80)}${")".repeat(80)} == []`,
  ];
  await cluster.client.create(VALIDATINGADMISSIONPOLICIES, policy("deep", deep));
  assertEquals((await found(cluster, "deep")).size, deep.length);
});

attack("types that double with each level", async (cluster) => {
  const doubling = [
    `[object.spec.replicas]${".map(x, {x: x})".repeat(60)} == []`,
    `optional.of(object)${".optMap(x, x)".repeat(16)}.hasValue()`,
  ];
  for (const expression of doubling) {
    const attempt = policy("doubling", [expression]);
    const { message } = await assertRejects(() => cluster.client.create(VALIDATINGADMISSIONPOLICIES, attempt), Error);
    assert(/takes more than 100000 steps|copy more than 20000 parts/.test(message), message);
  }
});

/** Defines a kind of this schema. */
async function define(cluster: TestCluster, plural: string, spec: JSONSchemaProps): Promise<Rule> {
  const group = `${plural}.example.com`;
  const kind = { group, version: "v1", plural, kind: `${plural[0].toUpperCase()}${plural.slice(1, -1)}` };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  await cluster.client.create(CUSTOMRESOURCEDEFINITIONS, definitionOf(kind, { schema }));
  await cluster.eventually(`${plural} are served`, async () => {
    const { text } = await cluster.client.requestText("GET", "/openapi/v3");
    return text.includes(group);
  });
  return { groups: [group], resources: [plural] };
}

attack("a kind of 10,000 fields", async (cluster) => {
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, { type: "string" }]));
  const rule = await define(cluster, "wides", { type: "object", properties });
  await cluster.client.create(
    VALIDATINGADMISSIONPOLICIES,
    policy("wide", ["object.spec.f9999 == 1", "object.spec.f10000 == 1"], rule),
  );
  const warnings = [...(await found(cluster, "wide")).values()];
  assert(warnings[0].includes("'(string, int)'") && warnings[1].includes("undefined field 'f10000'"), warnings.join());
});

attack("a kind 200 levels deep", async (cluster) => {
  let spec: JSONSchemaProps = { type: "string" };
  for (let i = 0; i < 200; i++) spec = { type: "object", properties: { a: spec } };
  const rule = await define(cluster, "deeps", spec);
  const path = `object.spec${".a".repeat(200)}`;
  await cluster.client.create(VALIDATINGADMISSIONPOLICIES, policy("deep", [`${path} == 1`, `${path}.a == 1`], rule));
  assertEquals((await found(cluster, "deep")).size, 2);
});

attack("warnings longer than an object may be", async (cluster) => {
  const long = Array.from({ length: 100 }, (_, i) => `object.no${i} == 1`).join(" || ");
  const expressions = Array.from({ length: 40 }, (_, i) => `${long} || '${i}${"x".repeat(8_000)}' == ''`);
  await cluster.client.create(VALIDATINGADMISSIONPOLICIES, policy("loud", ["object.nope == 1", ...expressions]));
  const warnings = await found(cluster, "loud");
  assertEquals(warnings.keys().next().value, "spec.validations[0].expression");
  assert([...warnings.values()].join("").length < 600_000);
});

attack("500 policies at once", async (cluster) => {
  const names = Array.from({ length: 500 }, (_, i) => `p${i}`);
  for (const name of names) {
    await cluster.client.create(
      VALIDATINGADMISSIONPOLICIES,
      policy(name, ["object.nope == 1", "object.spec.replicas > 1"]),
    );
  }
  for (const name of names) assertEquals((await found(cluster, name)).size, 1, name);
});

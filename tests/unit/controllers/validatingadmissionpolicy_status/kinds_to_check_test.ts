/** Which kinds a policy is checked against. */
import { assertEquals } from "@std/assert";
import { demanding, rule, SERVED, type Served, Stage } from "./stage.ts";

/** The kinds that a policy with these rules is checked against. */
async function kindsOf(stage: Stage, ...resourceRules: ReturnType<typeof rule>[]): Promise<string[]> {
  const { warnings } = await stage.sync(demanding(["object.nope == 1"], { matchConstraints: { resourceRules } }));
  return Object.values(warnings).flatMap((text) => [...text.matchAll(/Kind=(\w+)/g)].map(([, kind]) => kind));
}

/** So many kinds, `Kind00` and on. */
function many(count: number): Served {
  const number = (i: number) => String(i).padStart(2, "0");
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [
    `kind${number(i)}s`,
    { group: "example.com", version: "v1", kind: `Kind${number(i)}`, schema: { type: "object" } },
  ]));
}

Deno.test("kinds are checked once, by group, version and kind", async () => {
  const rules = [rule(["apps"], ["deployments", "deployments"]), rule(["apps", ""], ["pods", "deployments"])];
  assertEquals(await kindsOf(new Stage(), ...rules), ["Pod", "Deployment"]);
});

Deno.test("a rule with a wildcard group or version, or with no plain resource, names no kinds", async () => {
  const stage = new Stage();
  const rules = [
    rule(["*"], ["deployments"]),
    rule(["apps"], ["deployments"], ["v1", "*"]),
    rule([], ["deployments"]),
    rule(["apps"], ["deployments"], []),
    rule(["apps"], ["*", "deployments/scale", "*/*"]),
  ];
  assertEquals(await kindsOf(stage, ...rules), []);
  assertEquals([stage.lookedUp, stage.resets], [[], 0]);
});

Deno.test("a kind that is not known is looked up anew, once for each policy", async () => {
  const stage = new Stage({});
  stage.afterReset = SERVED;
  assertEquals(await kindsOf(stage, rule(["apps"], ["deployments"]), rule(["apps"], ["things"])), ["Deployment"]);
  assertEquals([stage.resets, stage.lookedUp.length], [1, 3]);
});

Deno.test("a policy is checked without the kinds that cannot be looked up", async () => {
  const stage = new Stage();
  stage.lookUpFails = true;
  assertEquals(await kindsOf(stage, rule(["apps"], ["deployments"])), []);
  assertEquals([stage.applied.length, stage.resets], [1, 1]);
});

Deno.test("a rule names ten kinds at most, and with ten ends the search", async () => {
  const kinds = many(12);
  const resources = Object.keys(kinds);
  const more = rule(["example.com"], resources.slice(10));
  assertEquals((await kindsOf(new Stage(kinds), rule(["example.com"], resources), more)).length, 10);
  assertEquals((await kindsOf(new Stage(kinds), rule(["example.com"], resources.slice(0, 9)), more)).length, 11);
});

Deno.test("a policy is checked against 32 kinds at most", async () => {
  const kinds = many(40);
  const resources = Object.keys(kinds);
  const rules = [0, 9, 18, 27].map((from) => rule(["example.com"], resources.slice(from, from + 9)));
  assertEquals((await kindsOf(new Stage(kinds), ...rules)).length, 32);
});

/** What is wrong with expressions, and what is not. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { compile, DYN, isTooLarge, parseExpression, policyEnvironment } from "../../../src/cel/mod.ts";
import { finish, issuesOf, messagesOf } from "./run.ts";

Deno.test("compile says of 250 expressions what kube-controller-manager v1.36.3 was recorded to say", async () => {
  const text = await Deno.readTextFile(new URL("recorded_issues.jsonl", import.meta.url));
  const recorded = text.trim().split("\n").map((line) => JSON.parse(line) as [string, string]);
  assertEquals(recorded.length, 250);
  for (const [expression, issues] of recorded) assertEquals(issuesOf(expression), issues, expression);
});

Deno.test("compile: an expression whose types grow with the power of its depth is too large", () => {
  const maps = ".map(x, {x: x})".repeat(60);
  const error = assertThrows(() => issuesOf(`[1]${maps} == []`));
  assert(isTooLarge(error));
  assertEquals(error.message.includes("make it shorter or nest it less deeply"), true);
});

Deno.test("parseExpression: an expression whose macros copy each other is too large", () => {
  const chain = `object.?spec${".optMap(x, x)".repeat(40)}`;
  assert(isTooLarge(assertThrows(() => finish(parseExpression(chain)))));
});

Deno.test("compile: cel.bind is not in the environment", () => {
  const expected = ["cel", "bind", "x"].map((name) => `undeclared reference to '${name}' (in container '')`);
  assertEquals(new Set(messagesOf("cel.bind(x, 1, x > 1)")), new Set(expected));
});

Deno.test("compile: with objects of which nothing is known, everything about them fits", () => {
  const environment = policyEnvironment({ object: DYN, variables: new Map() });
  const compiled = finish(
    compile(finish(parseExpression("object.a.b[0] + 1 > oldObject.c && has(object.d)")), environment),
  );
  assertEquals("type" in compiled && compiled.type.kind, "bool");
  const params = finish(compile(finish(parseExpression("params.x")), environment));
  assertEquals("issues" in params && params.issues.includes("undeclared reference to 'params'"), true);
});

Deno.test("compile: lists and maps are only found mixed once all types fit", () => {
  assertEquals(messagesOf("[object.spec.name, object.spec.replicas] == []"), [
    "expected type 'string' but found 'int'",
  ]);
  assertEquals(messagesOf("[object.spec.name, object.spec.replicas] == [] && object.nope"), ["undefined field 'nope'"]);
  assertEquals(messagesOf("'%s %d'.format([object.spec.name, object.spec.replicas]) == ''"), []);
});

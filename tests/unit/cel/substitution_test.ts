import { assertEquals } from "@std/assert";
import { Steps } from "../../../src/cel/steps.ts";
import { Substitution } from "../../../src/cel/substitution.ts";
import { DYN, INT, listOf, mapOf, STRING, typeParam, typeText } from "../../../src/cel/types.ts";

const A = typeParam("A");
const B = typeParam("B");

Deno.test("Substitution: if a type cannot be assigned, nothing that was found out on the way is kept", () => {
  const found = new Substitution(new Steps(1_000));
  assertEquals(found.assignAll([INT, STRING], [A, A]), false);
  assertEquals(typeText(found.apply(A)), "A");
  assertEquals(found.assignAll([INT, STRING], [A, B]), true);
  assertEquals(found.assignAll([listOf(STRING), INT], [listOf(B), STRING]), false);
  assertEquals(typeText(found.apply(mapOf(A, B))), "map(int, string)");
});

Deno.test("Substitution: a type is never found to be a part of itself", () => {
  const found = new Substitution(new Steps(1_000));
  assertEquals(found.assignAll([listOf(A)], [A]), false);
  assertEquals(found.assignAll([A], [B]), true);
  assertEquals(found.assignAll([listOf(B)], [A]), false);
  assertEquals(typeText(found.apply(A, true)), "dyn");
});

Deno.test("Substitution: of two types that fit, the one that says less is kept", () => {
  const found = new Substitution(new Steps(1_000));
  assertEquals(found.assignAll([INT, DYN], [A, A]), true);
  assertEquals(typeText(found.apply(A)), "dyn");
});

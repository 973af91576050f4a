import { assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import { FakeClock } from "../../../../src/base/mod.ts";
import { Expectations, UidExpectations } from "../../../../src/controllers/pods/mod.ts";

const FIVE_MINUTES_MS = 5 * 60_000;

Deno.test("Expectations: a key is satisfied when it has no record, when nothing is outstanding, or when its record is older than five minutes", async () => {
  const clock = new FakeClock();
  const expectations = new Expectations(clock);
  assertEquals(expectations.isSatisfied("a/x"), true);
  expectations.set("a/x", { add: 2 });
  assertEquals(expectations.isSatisfied("a/x"), false);
  expectations.observeCreation("a/x");
  assertEquals(expectations.isSatisfied("a/x"), false);
  expectations.observeCreation("a/x");
  assertEquals(expectations.isSatisfied("a/x"), true);
  expectations.set("a/x", { del: 1 });
  await clock.advance(FIVE_MINUTES_MS);
  assertEquals(expectations.isSatisfied("a/x"), false);
  await clock.advance(1000);
  assertEquals(expectations.isSatisfied("a/x"), true);
});

Deno.test("Expectations: setting replaces the record, also with zeros, and starts its age; raising and lowering change an existing record only and leave its age", async () => {
  const clock = new FakeClock();
  const expectations = new Expectations(clock);
  expectations.raise("a/x", { add: 3 });
  expectations.lower("a/x", { del: 3 });
  assertEquals(expectations.pending("a/x"), undefined);
  expectations.set("a/x", { add: 3, del: 1 });
  expectations.set("a/x", { add: 1 });
  assertEquals(expectations.pending("a/x"), { add: 1, del: 0 });
  await clock.advance(FIVE_MINUTES_MS);
  expectations.raise("a/x", { add: 4, del: 2 });
  expectations.lower("a/x", { add: 1 });
  assertEquals(expectations.pending("a/x"), { add: 4, del: 2 });
  await clock.advance(1);
  assertEquals(expectations.isSatisfied("a/x"), true, "the age counts from set");
  expectations.set("a/x", { add: 1 });
  assertEquals(expectations.isSatisfied("a/x"), false, "set starts the age");
  expectations.set("a/x", {});
  assertEquals(expectations.pending("a/x"), { add: 0, del: 0 });
});

Deno.test("Expectations: counters may go below zero, which counts as nothing outstanding", () => {
  const expectations = new Expectations(new FakeClock());
  expectations.set("a/x", { add: 1 });
  for (let i = 0; i < 3; i++) expectations.observeCreation("a/x");
  expectations.observeDeletion("a/x");
  assertEquals(expectations.pending("a/x"), { add: -2, del: -1 });
  assertEquals(expectations.isSatisfied("a/x"), true);
});

Deno.test("UidExpectations: observing a deletion lowers the count only while that object is expected to go, and only once", () => {
  const names = fc.constantFrom("a/1", "a/2", "a/3", "a/4");
  fc.assert(fc.property(fc.uniqueArray(names), fc.array(names), (expected, observed) => {
    const expectations = new UidExpectations(new FakeClock());
    expectations.expectDeletions("a/x", expected);
    for (const name of observed) expectations.observeDeletion("a/x", name);
    const left = expected.filter((name) => !observed.includes(name)).length;
    assertEquals(expectations.pending("a/x"), { add: 0, del: left });
    assertEquals(expectations.isSatisfied("a/x"), left === 0);
  }));
});

Deno.test("UidExpectations: expecting deletions anew replaces the set of objects; deleting the key forgets it", () => {
  const expectations = new UidExpectations(new FakeClock());
  expectations.expectDeletions("a/x", ["a/1", "a/2"]);
  expectations.expectDeletions("a/x", ["a/3"]);
  expectations.observeDeletion("a/x", "a/1");
  assertEquals(expectations.pending("a/x"), { add: 0, del: 1 });
  expectations.delete("a/x");
  assertEquals(expectations.pending("a/x"), undefined);
  expectations.expectCreations("a/x", 1);
  expectations.observeDeletion("a/x", "a/3");
  assertEquals(expectations.pending("a/x"), { add: 1, del: 0 });
});

Deno.test("UidExpectations lowers creations by what failed or was not tried", () => {
  const expectations = new UidExpectations(new FakeClock());
  expectations.expectCreations("a/x", 10);
  expectations.lowerCreations("a/x", 7);
  expectations.observeCreation("a/x");
  assertEquals(expectations.pending("a/x"), { add: 2, del: 0 });
});

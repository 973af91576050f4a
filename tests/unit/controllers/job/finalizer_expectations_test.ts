import { assertEquals } from "@std/assert";
import { FinalizerExpectations } from "../../../../src/controllers/job/finalizer_expectations.ts";

Deno.test("FinalizerExpectations: a uid is awaited from when it is expected until it is observed, or its Job's key is deleted; expecting more adds to what is awaited", () => {
  const expectations = new FinalizerExpectations();
  const awaited = (key = "a/j") => [...expectations.awaited(key)];
  expectations.expect("a/j", ["one", "two"]);
  const before = expectations.awaited("a/j");
  expectations.expect("a/j", ["three"]);
  expectations.expect("a/other", ["one"]);
  assertEquals([[...before], awaited()], [["one", "two"], ["one", "two", "three"]]);
  expectations.observe("a/j", "one");
  expectations.observe("a/j", undefined);
  assertEquals([awaited(), awaited("a/other")], [["two", "three"], ["one"]]);
  expectations.delete("a/j");
  assertEquals([awaited(), awaited("a/other")], [[], ["one"]]);
});

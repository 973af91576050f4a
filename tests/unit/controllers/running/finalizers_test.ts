import { assertEquals } from "@std/assert";
import {
  finalizerRemoval,
  hasFinalizer,
  isDeletionCandidate,
  needsFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../../../../src/controllers/running/mod.ts";

const HOLD = "example.com/hold";
const deletionTimestamp = "2026-01-01T00:00:00Z";

Deno.test("finalizers: an object needs one until it is being deleted, and then waits for those that it has", () => {
  const cases = [
    { metadata: {}, expected: [false, true, false] },
    { metadata: { finalizers: [HOLD] }, expected: [true, false, false] },
    { metadata: { deletionTimestamp }, expected: [false, false, false] },
    { metadata: { deletionTimestamp, finalizers: ["other", HOLD] }, expected: [true, false, true] },
  ];
  for (const { metadata, expected } of cases) {
    const tell = [hasFinalizer, needsFinalizer, isDeletionCandidate].map((is) => is({ metadata }, HOLD));
    assertEquals(tell, expected);
  }
});

Deno.test("finalizers: one is added after the others and removed however often it is there; no empty list is left", () => {
  const object = { metadata: { name: "a", finalizers: ["other"] } };
  assertEquals(withFinalizer(object, HOLD).metadata, { name: "a", finalizers: ["other", HOLD] });
  const held = { metadata: { name: "a", finalizers: [HOLD, "other", HOLD] } };
  assertEquals(withoutFinalizer(held, HOLD).metadata, { name: "a", finalizers: ["other"] });
  assertEquals(withoutFinalizer(withFinalizer({ metadata: {} }, HOLD), HOLD).metadata, { finalizers: undefined });
  assertEquals(finalizerRemoval(HOLD), { "$deleteFromPrimitiveList/finalizers": [HOLD] });
});

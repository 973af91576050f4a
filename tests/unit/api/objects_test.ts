import { assertEquals, assertThrows } from "@std/assert";
import {
  compareResourceVersions,
  controllerOf,
  findCondition,
  isConditionTrue,
  isControlledBy,
  joinKey,
  newControllerRef,
  objectKey,
  type OwnerReference,
  REPLICASETS,
  splitKey,
} from "../../../src/api/mod.ts";

Deno.test("objectKey and joinKey leave the namespace out where there is none", () => {
  assertEquals(objectKey({ metadata: { namespace: "a", name: "b" } }), "a/b");
  assertEquals(objectKey({ metadata: { name: "b" } }), "b");
  assertEquals(joinKey("", "b"), "b");
  assertEquals(objectKey({}), "");
});

Deno.test("splitKey takes a key apart and throws for one with three parts", () => {
  assertEquals(splitKey("a/b"), { namespace: "a", name: "b" });
  assertEquals(splitKey("b"), { namespace: "", name: "b" });
  const error = assertThrows(() => splitKey("a/b/c"), Error);
  assertEquals(error.message, 'unexpected key format: "a/b/c"');
});

Deno.test("compareResourceVersions orders by length and then by digits, however long", () => {
  assertEquals(compareResourceVersions("9", "10"), -1);
  assertEquals(compareResourceVersions("100", "99"), 1);
  assertEquals(compareResourceVersions("18446744073709551616", "18446744073709551615"), 1);
  assertEquals(compareResourceVersions("7", "7"), 0);
});

Deno.test("compareResourceVersions cannot compare what is not a positive decimal number without leading zeros", () => {
  for (const malformed of ["", "0", "01", "-1", "1.0", "x", "1 "]) {
    assertEquals(compareResourceVersions(malformed, "5"), undefined);
    assertEquals(compareResourceVersions("5", malformed), undefined);
  }
});

const reference = (uid: string, controller?: boolean): OwnerReference => {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name: uid, uid, controller };
};

Deno.test("controllerOf gives the first reference with controller true", () => {
  const ownerReferences = [reference("a"), reference("b", false), reference("c", true), reference("d", true)];
  assertEquals(controllerOf({ metadata: { ownerReferences } })?.uid, "c");
  assertEquals(controllerOf({ metadata: { ownerReferences: [reference("a")] } }), undefined);
  assertEquals(controllerOf({}), undefined);
});

Deno.test("isControlledBy goes by uid alone", () => {
  const pod = { metadata: { ownerReferences: [reference("u1", true)] } };
  assertEquals(isControlledBy(pod, { metadata: { name: "other", uid: "u1" } }), true);
  assertEquals(isControlledBy(pod, { metadata: { name: "u1", uid: "u2" } }), false);
  assertEquals(isControlledBy({}, {}), false);
});

Deno.test("newControllerRef blocks the owner's deletion and is the controller", () => {
  assertEquals(newControllerRef({ metadata: { name: "r", uid: "u" } }, REPLICASETS), {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "r",
    uid: "u",
    controller: true,
    blockOwnerDeletion: true,
  });
});

Deno.test("findCondition and isConditionTrue look at the first condition of the type", () => {
  const conditions = [{ type: "A", status: "False" }, { type: "B", status: "True" }, { type: "A", status: "True" }];
  assertEquals(findCondition(conditions, "A")?.status, "False");
  assertEquals([isConditionTrue(conditions, "A"), isConditionTrue(conditions, "B")], [false, true]);
  assertEquals(findCondition(undefined, "A"), undefined);
});

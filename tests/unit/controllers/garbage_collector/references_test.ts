import { assertEquals } from "@std/assert";
import { PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import { GraphNode } from "../../../../src/controllers/garbage_collector/graph.ts";
import type { Identity } from "../../../../src/controllers/garbage_collector/identity.ts";
import {
  alternateIdentity,
  diffReferences,
  partitionDependents,
  unblockedOwners,
} from "../../../../src/controllers/garbage_collector/references.ts";
import { transitionOf } from "../../../../src/controllers/garbage_collector/transitions.ts";
import { DELETING, FOREGROUND, object, ref } from "./harness.ts";
import { stepsOf } from "../../base/steps.ts";

function identity(kind: string, namespace: string, name: string, apiVersion = "v1"): Identity {
  return { apiVersion, kind, namespace, name, uid: "u" };
}

/** A node in `namespace` with one reference to uid `u` for each of `claims`. */
function dependent(namespace: string, ...claims: Identity[]): GraphNode {
  const self = {
    apiVersion: "v1",
    kind: "Pod",
    name: `dependent-${namespace}`,
    uid: `dependent-${namespace}`,
    namespace,
  };
  return new GraphNode(self, { owners: claims.map(({ namespace: _, ...reference }) => reference) });
}

Deno.test("diffReferences gives nothing when both lists say the same", () => {
  assertEquals(diffReferences([ref(PODS, "a")], [ref(PODS, "a")]), undefined);
  assertEquals(diffReferences([], []), undefined);
});

Deno.test("diffReferences tells added, removed and changed references apart by uid", () => {
  const before = [ref(PODS, "kept"), ref(PODS, "gone"), ref(PODS, "changed", { blockOwnerDeletion: true })];
  const after = [ref(PODS, "kept"), ref(PODS, "changed"), ref(PODS, "new")];
  assertEquals(diffReferences(before, after), {
    added: [ref(PODS, "new")],
    removed: [ref(PODS, "gone")],
    changed: [{ before: ref(PODS, "changed", { blockOwnerDeletion: true }), after: ref(PODS, "changed") }],
  });
});

Deno.test("unblockedOwners names owners that a blocking reference was taken from or that it stopped blocking", () => {
  const blocking = { blockOwnerDeletion: true };
  const notBlocking = { blockOwnerDeletion: false };
  const diff = diffReferences(
    [ref(PODS, "a", blocking), ref(PODS, "b"), ref(PODS, "c", blocking), ref(PODS, "d", notBlocking)],
    [ref(PODS, "c", notBlocking), ref(PODS, "d", blocking)],
  );
  assertEquals(unblockedOwners(diff!), ["a", "c"]);
});

Deno.test("partitionDependents puts a dependent in another namespace than its namespaced owner among the nonmatching", () => {
  const elsewhere = dependent("b", identity("Pod", "b", "o"));
  assertEquals(stepsOf(partitionDependents([elsewhere], identity("Pod", "a", "o"))).result, {
    matching: [],
    nonmatching: [elsewhere],
  });
});

Deno.test("partitionDependents matches dependents of any namespace with a cluster-scoped owner", () => {
  const dependents = [dependent("a", identity("Node", "", "o")), dependent("", identity("Node", "", "o"))];
  assertEquals(stepsOf(partitionDependents(dependents, identity("Node", "", "o"))).result, {
    matching: dependents,
    nonmatching: [],
  });
});

Deno.test("partitionDependents puts a dependent with several references to one uid on both sides", () => {
  const both = dependent("a", identity("Pod", "a", "o"), identity("Pod", "a", "o", "v2"));
  assertEquals(stepsOf(partitionDependents([both], identity("Pod", "a", "o"))).result, {
    matching: [both],
    nonmatching: [both],
  });
});

Deno.test("alternateIdentity takes the next claim in order after the absent one, else the smallest", () => {
  const absent = identity("Pod", "ns1", "a");
  const named = (name: string) => dependent("ns1", identity("Pod", "ns1", name));
  const cases: [GraphNode[], Identity | undefined][] = [
    [[named("b"), named("0")], identity("Pod", "ns1", "b")],
    [[named("1"), named("0")], identity("Pod", "ns1", "0")],
    [[named("a")], undefined],
    [[named("c"), named("b"), named("a")], identity("Pod", "ns1", "b")],
    [[dependent("ns0", identity("Pod", "", "z"))], identity("Pod", "ns0", "z")],
    [[dependent("ns1", identity("Role", "", "a")), named("b")], identity("Pod", "ns1", "b")],
    [[dependent("ns1", identity("Job", "", "z"), identity("Role", "", "a"))], identity("Role", "ns1", "a")],
    [[dependent("ns1", identity("Pod", "", "a", "v2"), identity("Pod", "", "z"))], identity("Pod", "ns1", "z")],
  ];
  for (const [dependents, expected] of cases) {
    assertEquals(stepsOf(alternateIdentity(dependents, absent)).result, expected);
  }
});

Deno.test("alternateIdentity leaves out the namespace where the absent identity shows the kind to be cluster-scoped", () => {
  const absent = identity("Node", "", "a");
  assertEquals(
    stepsOf(alternateIdentity([dependent("ns1", identity("Node", "", "b"))], absent)).result,
    identity("Node", "", "b"),
  );
  assertEquals(stepsOf(alternateIdentity([dependent("ns1", identity("Node", "", "b", "v2"))], absent)).result, {
    ...identity("Node", "ns1", "b", "v2"),
  });
});

Deno.test("transitionOf tells what begins with an update", () => {
  const plain = object(REPLICASETS, "rs");
  const deleting = object(REPLICASETS, "rs", DELETING);
  const foreground = object(REPLICASETS, "rs", FOREGROUND);
  const orphan = object(REPLICASETS, "rs", { ...DELETING, finalizers: ["orphan"] });
  const marked = object(REPLICASETS, "rs", { finalizers: ["orphan", "foregroundDeletion"] });
  const cases = [
    [undefined, plain, undefined],
    [plain, deleting, undefined],
    [undefined, foreground, "deleteDependents"],
    [plain, foreground, "deleteDependents"],
    [deleting, foreground, "deleteDependents"],
    [foreground, foreground, undefined],
    [undefined, orphan, "orphan"],
    [marked, orphan, "orphan"],
    [orphan, orphan, undefined],
    [plain, marked, undefined],
  ] as const;
  for (const [old, now, expected] of cases) assertEquals(transitionOf(old, now), expected);
});

import { assertEquals } from "@std/assert";
import { CONFIGMAPS, DEPLOYMENTS, type NamespaceCondition, PODS } from "../../../../src/api/mod.ts";
import { ContentTotals, deletionConditions, mergeConditions } from "../../../../src/controllers/namespace/status.ts";

const NOW = "2026-01-01T00:00:00Z";

function brief(conditions: readonly NamespaceCondition[]): string[] {
  return conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`);
}

Deno.test("deletionConditions says of all five types that all is well", () => {
  assertEquals(brief(deletionConditions({ contentErrors: [] })), [
    "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
    "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed",
    "NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization",
    "NamespaceContentRemaining False ContentRemoved All content successfully removed",
    "NamespaceFinalizersRemaining False ContentHasNoFinalizers All content-preserving finalizers finished",
  ]);
});

Deno.test("deletionConditions words what went wrong and what remains, sorted", () => {
  const totals = new ContentTotals();
  const held = (...finalizers: string[]) => ({ metadata: { finalizers } });
  totals.add(PODS, [held("z/last"), held()]);
  totals.add(DEPLOYMENTS, [held("a/first", "z/last")]);
  totals.add(CONFIGMAPS, []);
  const conditions = deletionConditions({ discoveryError: "no luck", contentErrors: ["b", "a"], totals });
  assertEquals(brief(conditions).filter((text) => text.includes(" True ")), [
    "NamespaceDeletionDiscoveryFailure True DiscoveryFailed no luck",
    "NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 2 remaining: a, b",
    "NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: " +
    "deployments.apps has 1 resource instances, pods. has 2 resource instances",
    "NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers remaining: " +
    "a/first in 1 resource instances, z/last in 2 resource instances",
  ]);
});

Deno.test("mergeConditions appends missing conditions in order with the time", () => {
  const desired = deletionConditions({ contentErrors: [] });
  const merged = mergeConditions([], desired, NOW);
  assertEquals(merged, desired.map((condition) => ({ ...condition, lastTransitionTime: NOW })));
});

Deno.test("mergeConditions gives nothing when nothing changed", () => {
  const desired = deletionConditions({ contentErrors: [] });
  const current = desired.map((condition) => ({ ...condition, lastTransitionTime: "2020-01-01T00:00:00Z" }));
  assertEquals(mergeConditions(current, desired, NOW), undefined);
});

Deno.test("mergeConditions updates in place, keeps order and unknown types, and moves the time only with the status", () => {
  const old = "2020-01-01T00:00:00Z";
  const current = [
    { type: "B", status: "True", reason: "Bad", message: "m", lastTransitionTime: old },
    { type: "Unknown", status: "True", lastTransitionTime: old },
    { type: "A", status: "True", reason: "Bad", message: "m", lastTransitionTime: old },
  ];
  const desired = [
    { type: "A", status: "False", reason: "Good", message: "fine" },
    { type: "B", status: "True", reason: "Bad", message: "changed" },
  ];
  assertEquals(mergeConditions(current, desired, NOW), [
    { type: "B", status: "True", reason: "Bad", message: "changed", lastTransitionTime: old },
    { type: "Unknown", status: "True", lastTransitionTime: old },
    { type: "A", status: "False", reason: "Good", message: "fine", lastTransitionTime: NOW },
  ]);
  assertEquals(current[2].status, "True", "what the cache holds is left alone");
});

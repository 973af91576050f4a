import type { KubeObject, NamespaceCondition, Resource } from "../../api/mod.ts";

/** The findings of one pass over a namespace's content, for its conditions. */
export interface DeletionFindings {
  /** Why discovery was incomplete. */
  readonly discoveryError?: string;
  /** Why some resource's group and version could not be understood. */
  readonly groupVersionError?: string;
  /** Texts of the errors of single resources. */
  readonly contentErrors: readonly string[];
  /** What is left; absent if not everything was checked, which upstream reports as nothing left. */
  readonly totals?: ContentTotals;
}

type Wording = Pick<NamespaceCondition, "type" | "reason" | "message">;

/** The conditions' content if all is well, in the order in which they are written. */
const GOOD: readonly Wording[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
  { type: "NamespaceContentRemaining", reason: "ContentRemoved", message: "All content successfully removed" },
  {
    type: "NamespaceFinalizersRemaining",
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
  },
];

/**
 * The five conditions of a namespace in deletion.
 * Upstream: `pkg/controller/namespace/deletion/status_condition_utils.go`.
 */
export function deletionConditions(
  { discoveryError, groupVersionError, contentErrors, totals }: DeletionFindings,
): NamespaceCondition[] {
  const bad: Wording[] = [];
  if (discoveryError !== undefined) {
    bad.push({ type: "NamespaceDeletionDiscoveryFailure", reason: "DiscoveryFailed", message: discoveryError });
  }
  if (groupVersionError !== undefined) {
    const type = "NamespaceDeletionGroupVersionParsingFailure";
    bad.push({ type, reason: "GroupVersionParsingFailed", message: groupVersionError });
  }
  if (contentErrors.length > 0) {
    const texts = contentErrors.toSorted().join(", ");
    bad.push({
      type: "NamespaceDeletionContentFailure",
      reason: "ContentDeletionFailed",
      message: `Failed to delete all resource types, ${contentErrors.length} remaining: ${texts}`,
    });
  }
  const resources = totals?.resourceTexts() ?? [];
  if (resources.length > 0) {
    bad.push({
      type: "NamespaceContentRemaining",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${resources.join(", ")}`,
    });
  }
  const finalizers = totals?.finalizerTexts() ?? [];
  if (finalizers.length > 0) {
    bad.push({
      type: "NamespaceFinalizersRemaining",
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${finalizers.join(", ")}`,
    });
  }
  return GOOD.map((good) => {
    const wording = bad.find(({ type }) => type === good.type);
    return { ...(wording ?? good), status: wording ? "True" : "False" };
  });
}

/**
 * Merges `desired` into `current`: the order and conditions of unknown types stay; lastTransitionTime changes only with
 * the status.
 *
 * @returns The new list, or `undefined` when nothing changed.
 */
export function mergeConditions(
  current: readonly NamespaceCondition[],
  desired: readonly NamespaceCondition[],
  lastTransitionTime: string,
): NamespaceCondition[] | undefined {
  const merged = [...current];
  let hasChanged = false;
  for (const condition of desired) {
    const at = merged.findIndex(({ type }) => type === condition.type);
    const old = merged[at];
    if (!old) {
      merged.push({ ...condition, lastTransitionTime });
      hasChanged = true;
    } else if (
      old.status !== condition.status || old.reason !== condition.reason || old.message !== condition.message
    ) {
      merged[at] = { ...old, ...condition, ...(old.status === condition.status ? {} : { lastTransitionTime }) };
      hasChanged = true;
    }
  }
  return hasChanged ? merged : undefined;
}

/** Counts what is left in a namespace: objects by resource, and their finalizers by name. */
export class ContentTotals {
  readonly #byResource = new Map<string, number>();
  readonly #byFinalizer = new Map<string, number>();

  add({ plural, group }: Resource, remaining: readonly KubeObject[]): void {
    if (remaining.length === 0) return;
    const name = `${plural}.${group}`; // a core resource keeps the dot: "pods."
    this.#byResource.set(name, (this.#byResource.get(name) ?? 0) + remaining.length);
    for (const { metadata } of remaining) {
      for (const finalizer of metadata?.finalizers ?? []) {
        this.#byFinalizer.set(finalizer, (this.#byFinalizer.get(finalizer) ?? 0) + 1);
      }
    }
  }

  /** Sorted texts like `pods. has 2 resource instances`. */
  resourceTexts(): string[] {
    return [...this.#byResource].map(([name, count]) => `${name} has ${count} resource instances`).sort();
  }

  /** Sorted texts like `example.com/hold in 1 resource instances`. */
  finalizerTexts(): string[] {
    return [...this.#byFinalizer].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  }
}

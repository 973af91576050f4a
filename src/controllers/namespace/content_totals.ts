import type { KubeObject, Resource } from "../../api/mod.ts";

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

import { type Endpoints, objectKey } from "../../api/mod.ts";

/**
 * The version of Endpoints that our last write replaced: a cache that still shows it is outdated.
 *
 * Contract:
 * 1. A version that was replaced is superseded until another one is, or the key is forgotten.
 *
 * Upstream: `pkg/controller/endpoint/endpoints_tracker.go`.
 */
export class SupersededVersions {
  readonly #versions = new Map<string, string>();

  /** How many keys are remembered: one for each Service. */
  get size(): number {
    return this.#versions.size;
  }

  /** @param before The replaced version. */
  replaced(before: Endpoints): void {
    this.#versions.set(objectKey(before), before.metadata?.resourceVersion ?? "");
  }

  isSuperseded(cached: Endpoints): boolean {
    return this.#versions.get(objectKey(cached)) === cached.metadata?.resourceVersion;
  }

  /** @param key `namespace/name`. */
  forget(key: string): void {
    this.#versions.delete(key);
  }
}

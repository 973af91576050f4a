import { type Endpoints, objectKey } from "../../api/mod.ts";

/**
 * Which version of Endpoints was last replaced by a write of ours: a cache that still shows it is behind.
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

  /** @param before As it was when it was written over. */
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

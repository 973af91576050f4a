import type { Clock } from "../../base/mod.ts";
import { Expectations } from "./expectations.ts";

/**
 * Expectations that know which objects they expect to be deleted, so that a pod marked for deletion and removed later
 * is counted once.
 *
 * Contract, besides all that {@link Expectations} promises:
 * 1. Observing a deletion lowers the count only while that object is expected to go, and only once.
 * 2. Expecting deletions anew replaces the set of objects; deleting the key forgets it.
 *
 * Upstream: `pkg/controller/controller_utils.go` (UIDTrackingControllerExpectations).
 *
 * @example
 * ```ts
 * import { UidExpectations } from "./mod.ts";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const expectations = new UidExpectations(new FakeClock());
 * expectations.expectDeletions("default/web", ["default/web-1", "default/web-2"]);
 * expectations.observeDeletion("default/web", "default/web-1");
 * expectations.observeDeletion("default/web", "default/web-1");
 * assertEquals(expectations.pending("default/web"), { add: 0, del: 1 });
 * ```
 */
export class UidExpectations {
  readonly #counts: Expectations;
  readonly #going = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#counts = new Expectations(clock);
  }

  isSatisfied(key: string): boolean {
    return this.#counts.isSatisfied(key);
  }

  pending(key: string): { readonly add: number; readonly del: number } | undefined {
    return this.#counts.pending(key);
  }

  /** Expects `count` creations and no deletion. */
  expectCreations(key: string, count: number): void {
    this.#counts.set(key, { add: count });
  }

  /** Expects that the objects with these keys are deleted, and no creation. */
  expectDeletions(key: string, objectKeys: Iterable<string>): void {
    const going = new Set(objectKeys);
    this.#going.set(key, going);
    this.#counts.set(key, { del: going.size });
  }

  observeCreation(key: string): void {
    this.#counts.observeCreation(key);
  }

  /** Expects `count` fewer creations: they failed or were never tried. */
  lowerCreations(key: string, count: number): void {
    this.#counts.lower(key, { add: count });
  }

  observeDeletion(key: string, objectKey: string): void {
    if (this.#going.get(key)?.delete(objectKey)) this.#counts.observeDeletion(key);
  }

  delete(key: string): void {
    this.#counts.delete(key);
    this.#going.delete(key);
  }
}

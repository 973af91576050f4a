import type { Clock } from "../../base/mod.ts";

/** Creations and deletions that a controller requested but has not seen yet. */
export interface Expected {
  readonly add?: number;
  readonly del?: number;
}

interface ExpectationRecord {
  add: number;
  del: number;
  readonly setAtMs: number;
}

/** Longer than any watch should lag. After that, a controller trusts its cache again. */
const EXPIRES_AFTER_MS = 5 * 60_000;

/**
 * What each key's controller still has to see in its cache before it may create or delete again.
 *
 * Contract:
 * 1. A key is satisfied when it has no record, when nothing is outstanding, or when its record is older than five
 *    minutes.
 * 2. Setting replaces the record, also with zeros, and starts its age; raising and lowering change an existing record
 *    only and leave its age.
 * 3. Counters may go below zero, which counts as nothing outstanding.
 *
 * Protocol: set before the writes, lower for each write that failed or was not tried, observe in event handlers, delete
 * with the object. Upstream: `pkg/controller/controller_utils.go` (ControllerExpectations).
 *
 * @example
 * ```ts
 * import { Expectations } from "./mod.ts";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const expectations = new Expectations(new FakeClock());
 * expectations.set("default/web", { add: 1 });
 * assertEquals(expectations.isSatisfied("default/web"), false);
 * expectations.observeCreation("default/web");
 * assertEquals(expectations.isSatisfied("default/web"), true);
 * ```
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #records = new Map<string, ExpectationRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the controller of `key` may create and delete now. */
  isSatisfied(key: string): boolean {
    const record = this.#records.get(key);
    if (!record || (record.add <= 0 && record.del <= 0)) return true;
    return this.#clock.monotonicMs() - record.setAtMs > EXPIRES_AFTER_MS;
  }

  /** Replaces what is expected of `key`. */
  set(key: string, { add = 0, del = 0 }: Expected): void {
    this.#records.set(key, { add, del, setAtMs: this.#clock.monotonicMs() });
  }

  /** Expects more than before, if there is a record. */
  raise(key: string, { add = 0, del = 0 }: Expected): void {
    this.lower(key, { add: -add, del: -del });
  }

  /** Expects less than before. */
  lower(key: string, { add = 0, del = 0 }: Expected): void {
    const record = this.#records.get(key);
    if (!record) return;
    record.add -= add;
    record.del -= del;
  }

  observeCreation(key: string): void {
    this.lower(key, { add: 1 });
  }

  observeDeletion(key: string): void {
    this.lower(key, { del: 1 });
  }

  /** What is outstanding, or `undefined` without a record. */
  pending(key: string): { readonly add: number; readonly del: number } | undefined {
    const record = this.#records.get(key);
    return record && { add: record.add, del: record.del };
  }

  delete(key: string): void {
    this.#records.delete(key);
  }
}

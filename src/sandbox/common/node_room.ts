import { type Amounts, parseAmounts, podRequests } from "../../rules/mod.ts";
import { type Node, type Pod, QuantityError } from "../../api/mod.ts";

/** Amounts by resource as plain numbers: cpu in thousandths, everything else in whole units, rounded up. */
export type Counts = ReadonlyMap<string, number>;

/** A resource of which a node has too little left for a pod. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** The pod capacity of a node that does not state one. Upstream: kubelet's `maxPods`. */
const DEFAULT_PODS = 110;
const NO_COUNTS: Counts = new Map();

/** A pod's requests; empty if one is not a quantity, which an API server would refuse. */
export function requestsOf(pod: Pod): Counts {
  return countsOf(() => podRequests(pod));
}

/** A node's allocatable resources, including `pods`. */
export function allocatableOf({ status }: Node): Counts {
  return countsOf(() => parseAmounts(status?.allocatable ?? status?.capacity));
}

function countsOf(read: () => Amounts): Counts {
  try {
    const amounts = read();
    if (amounts.size === 0) return NO_COUNTS;
    return new Map(
      Array.from(amounts, ([name, amount]) => [
        name,
        Number(name === "cpu" ? amount.milliRoundedUp() : amount.roundedUp()),
      ]),
    );
  } catch (error) {
    if (error instanceof QuantityError) return NO_COUNTS;
    throw error;
  }
}

/**
 * A node's resources, and how much of them its pods have taken, as running totals.
 *
 * Contract:
 * 1. A pod counts once, however often it is put there, with its latest requests.
 * 2. After a pod is taken away, the totals are what they were without it.
 * 3. A pod that requests nothing only needs a place among the pods.
 *
 * Upstream: `pkg/scheduler/framework` (NodeInfo) and `framework/plugins/noderesources/fit.go` (fitsRequest).
 *
 * @example
 * ```ts
 * import { NodeRoom } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const room = new NodeRoom(new Map([["cpu", 1000], ["pods", 10]]));
 * room.put("a", new Map([["cpu", 800]]));
 * assertEquals(room.shortages(new Map([["cpu", 300]])).map(({ resource }) => resource), ["cpu"]);
 * room.take("a");
 * assertEquals(room.shortages(new Map([["cpu", 300]])), []);
 * ```
 */
export class NodeRoom {
  allocatable: Counts;
  readonly #used = new Map<string, number>();
  readonly #pods = new Map<string, Counts>();

  constructor(allocatable: Counts = NO_COUNTS) {
    this.allocatable = allocatable;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get podLimit(): number {
    return this.allocatable.get("pods") ?? DEFAULT_PODS;
  }

  used(resource: string): number {
    return this.#used.get(resource) ?? 0;
  }

  put(key: string, requests: Counts): void {
    this.take(key);
    this.#pods.set(key, requests);
    for (const [name, count] of requests) this.#used.set(name, this.used(name) + count);
  }

  take(key: string): void {
    const requests = this.#pods.get(key);
    if (!requests) return;
    this.#pods.delete(key);
    for (const [name, count] of requests) this.#used.set(name, this.used(name) - count);
  }

  /** The resources that a pod with these requests lacks, `pods` first; empty if it fits. */
  shortages(requests: Counts): readonly Shortage[] {
    const found: Shortage[] = [];
    if (this.podCount + 1 > this.podLimit) {
      found.push({ resource: "pods", requested: 1, used: this.podCount, capacity: this.podLimit });
    }
    for (const [resource, requested] of requests) {
      if (requested === 0) continue;
      const capacity = this.allocatable.get(resource) ?? 0;
      const used = this.used(resource);
      if (requested > capacity - used) found.push({ resource, requested, used, capacity });
    }
    return found;
  }
}

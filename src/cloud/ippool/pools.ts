import type { Selector, Service } from "../../api/mod.ts";
import type { Address } from "../../ip/mod.ts";
import { type AddressRange, holds } from "./address.ts";

/** Which Services may share an address if they have the same key and different ports. */
export type Sharing = "None" | "Namespace" | "Cluster";

/** A pool of addresses, and which Services may have them. */
export interface Pool {
  readonly name: string;
  readonly ranges: readonly AddressRange[];
  /** Whether Services that do not request a pool get its addresses. */
  readonly autoAssign: boolean;
  /** All of them if absent. */
  readonly namespaces?: ReadonlySet<string>;
  /** Selects Services by label; all of them if absent. */
  readonly selector?: Selector;
  readonly sharing: Sharing;
}

/** Whether the pool is for this Service. */
export function isFor({ namespaces, selector }: Pool, { metadata }: Service): boolean {
  if (namespaces && !namespaces.has(metadata?.namespace ?? "")) return false;
  return selector?.matches(metadata?.labels) ?? true;
}

/** A range and its pool. */
export interface PoolRange {
  readonly pool: Pool;
  readonly range: AddressRange;
}

/** Orders ranges by family and first address. */
export function byFirst({ range: a }: PoolRange, { range: b }: PoolRange): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return a.first < b.first ? -1 : a.first > b.first ? 1 : 0;
}

/** Finds the pool of an address among pools that do not overlap, in logarithmic time. */
export class PoolIndex {
  readonly #ranges: readonly PoolRange[];

  constructor(pools: readonly Pool[]) {
    this.#ranges = pools.flatMap((pool) => pool.ranges.map((range) => ({ pool, range }))).sort(byFirst);
  }

  of(address: Address): PoolRange | undefined {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { range } = this.#ranges[middle];
      const isBefore = range.family === address.family ? range.last < address.value : range.family < address.family;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    const found = this.#ranges[low];
    return found && holds(found.range, address) ? found : undefined;
  }
}

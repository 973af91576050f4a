import type { EndpointAddress, EndpointSubset } from "../../api/mod.ts";

/** A set of addresses by their numbers in an {@link AddressBook}, with whether each is ready. */
export type AddressSet = ReadonlyMap<number, boolean>;

/** How many addresses are processed between two checks of the clock. */
const STEP = 256;

/**
 * Numbers addresses. Two are the same if they have the same IP and belong to the same object: pods on a host's network
 * share an IP but must be distinguished.
 */
export class AddressBook {
  readonly #numbers = new Map<string, number>();
  readonly #addresses: EndpointAddress[] = [];

  /** The address that was first given this number. */
  at(number: number): EndpointAddress {
    return this.#addresses[number];
  }

  /** The addresses of a subset. An address that is not ready anywhere counts as not ready. */
  *read({ addresses = [], notReadyAddresses = [] }: EndpointSubset): Generator<void, AddressSet> {
    const set = new Map<number, boolean>();
    for (const address of addresses) {
      set.set(this.#numberOf(address), true);
      if (set.size % STEP === 0) yield;
    }
    for (const address of notReadyAddresses) {
      set.set(this.#numberOf(address), false);
      if (set.size % STEP === 0) yield;
    }
    return set;
  }

  #numberOf(address: EndpointAddress): number {
    const key = `${address.ip} ${address.targetRef?.uid ?? ""}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#addresses.push(address) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** The union of several sets; an address that is not ready in one of them counts as not ready. */
export function* union(sets: readonly AddressSet[]): Generator<void, AddressSet> {
  if (sets.length === 1) return sets[0];
  const all = new Map<number, boolean>();
  for (const set of sets) {
    for (const [number, isReady] of set) {
      all.set(number, isReady && all.get(number) !== false);
      if (all.size % STEP === 0) yield;
    }
    yield;
  }
  return all;
}

/** A key that is equal for sets with the same addresses and readiness, in whatever order they were read. */
export function textOf(set: AddressSet): string {
  const codes = new Uint32Array(set.size);
  let at = 0;
  for (const [number, isReady] of set) codes[at++] = number * 2 + (isReady ? 1 : 0);
  return codes.sort().join();
}

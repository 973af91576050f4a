import type { EndpointAddress, EndpointSubset } from "../../api/mod.ts";

/** Which addresses there are, by their numbers in an {@link AddressBook}, and whether each is ready. */
export type AddressSet = ReadonlyMap<number, boolean>;

/** Addresses between two looks at the clock. */
const STEP = 256;

/**
 * Numbers addresses. Two are the same if they have the same IP and belong to the same object: pods of a host's network share
 * one, and are still to be told apart.
 */
export class AddressBook {
  readonly #numbers = new Map<string, number>();
  readonly #addresses: EndpointAddress[] = [];

  /** The address that was first given this number. */
  at(number: number): EndpointAddress {
    return this.#addresses[number];
  }

  /** The addresses of a subset. What is not ready anywhere is not ready. */
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

/** All addresses of several sets; what is not ready in one of them is not ready. */
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

/** A text that is the same for sets with the same addresses that are ready alike, whatever order they were read in. */
export function textOf(set: AddressSet): string {
  const codes = new Uint32Array(set.size);
  let at = 0;
  for (const [number, isReady] of set) codes[at++] = number * 2 + (isReady ? 1 : 0);
  return codes.sort().join();
}

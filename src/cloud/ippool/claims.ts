import type { Address, Family } from "../../ip/mod.ts";
import type { Sharing } from "./pools.ts";

/** How many Services may share one address. */
const MOST_SHARERS = 256;

/** The owner of an address. */
export interface Claimant {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly sharingKey?: string;
  readonly ports: readonly string[];
}

/** A Service's claim to an address. */
export interface Claim {
  readonly address: Address;
  readonly claimant: Claimant;
  /** Whether the Service is giving it up, although its status may still show it. */
  readonly isLeaving: boolean;
}

/**
 * Records who has which address. `Allocator` decides who may have it.
 *
 * Contract:
 * 1. An address is free once no Service holds it, and no Service that gave it up may still show it in its status.
 */
export class Claims {
  readonly #byAddress: Readonly<Record<Family, Map<bigint, Map<string, Claim>>>> = { IPv4: new Map(), IPv6: new Map() };
  readonly #byService = new Map<string, Map<string, Claim>>();
  /** Addresses by sharing key, per namespace and overall. */
  readonly #byKey = new Map<string, Map<string, Address>>();
  readonly #leaving = new Set<string>();
  readonly #onFree: (address: Address) => void;

  /** @param onFree Called with each address that becomes free. */
  constructor(onFree: (address: Address) => void = () => {}) {
    this.#onFree = onFree;
  }

  isUsed({ family, value }: Address): boolean {
    return this.#byAddress[family].has(value);
  }

  /** The claims of the Service with that UID: first those it holds, then those it is leaving. */
  of(uid: string): Claim[] {
    return [...this.#byService.get(uid)?.values() ?? []].sort((a, b) => Number(a.isLeaving) - Number(b.isLeaving));
  }

  /** All claims to an address. */
  to({ family, value }: Address): Claim[] {
    return [...this.#byAddress[family].get(value)?.values() ?? []];
  }

  /** UIDs of Services that hold or are leaving an address. */
  get uids(): string[] {
    return [...this.#byService.keys()];
  }

  /** Addresses that Services of that namespace, or of any, have under a sharing key. */
  withKey(sharingKey: string, namespace?: string): IterableIterator<Address> {
    return (this.#byKey.get(scoped(sharingKey, namespace)) ?? new Map<string, Address>()).values();
  }

  /** UIDs of Services that are leaving an address. */
  get leaving(): ReadonlySet<string> {
    return this.#leaving;
  }

  get count(): number {
    return this.#byAddress.IPv4.size + this.#byAddress.IPv6.size;
  }

  /** Whether the claimant may share an address with its present owners. */
  admits(address: Address, claimant: Claimant, sharing: Sharing): boolean {
    const all = this.#byAddress[address.family].get(address.value);
    if (!all) return true;
    const own = all.get(claimant.uid);
    // A Service that already holds it may ignore those that are leaving it.
    const isHolder = own !== undefined && !own.isLeaving;
    const others = [...all.values()].filter((claim) => claim !== own && !(isHolder && claim.isLeaving));
    if (others.length === 0) return true;
    if (sharing === "None" || claimant.sharingKey === undefined || others.length >= MOST_SHARERS) return false;
    const ports = new Set(claimant.ports);
    for (const { claimant: other } of others) {
      const isFriend = other.sharingKey === claimant.sharingKey &&
        (sharing === "Cluster" || other.namespace === claimant.namespace);
      if (!isFriend || other.ports.some((port) => ports.has(port))) return false;
    }
    return true;
  }

  /** Records a claim; replaces an earlier one of the same Service to the same address. */
  set(claim: Claim): void {
    const { address, claimant: { uid, namespace, sharingKey } } = claim;
    this.#forgetKeys(address, uid);
    member(this.#byAddress[address.family], address.value).set(uid, claim);
    member(this.#byService, uid).set(keyOf(address), claim);
    this.#noteLeaving(uid);
    if (sharingKey === undefined) return;
    for (const scope of [scoped(sharingKey, namespace), scoped(sharingKey)]) {
      member(this.#byKey, scope).set(keyOf(address), address);
    }
  }

  /** Ends a claim. */
  release({ address, claimant: { uid } }: Claim): void {
    this.#forgetKeys(address, uid);
    remove(this.#byService, uid, keyOf(address));
    this.#noteLeaving(uid);
    remove(this.#byAddress[address.family], address.value, uid);
    if (!this.isUsed(address)) this.#onFree(address);
  }

  #noteLeaving(uid: string): void {
    const claims = this.#byService.get(uid)?.values() ?? [];
    if ([...claims].some(({ isLeaving }) => isLeaving)) this.#leaving.add(uid);
    else this.#leaving.delete(uid);
  }

  #forgetKeys(address: Address, uid: string): void {
    const all = this.#byAddress[address.family].get(address.value);
    const own = all?.get(uid)?.claimant;
    if (!all || own?.sharingKey === undefined) return;
    const { sharingKey, namespace } = own;
    const friends = [...all.values()].map(({ claimant }) => claimant)
      .filter((other) => other.uid !== uid && other.sharingKey === sharingKey);
    if (!friends.some((other) => other.namespace === namespace)) {
      remove(this.#byKey, scoped(sharingKey, namespace), keyOf(address));
    }
    if (friends.length === 0) remove(this.#byKey, scoped(sharingKey), keyOf(address));
  }
}

/** Namespaces cannot contain a slash. */
function scoped(sharingKey: string, namespace = ""): string {
  return `${namespace}/${sharingKey}`;
}

function keyOf({ family, value }: Address): string {
  return `${family}/${value}`;
}

function member<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const found = maps.get(key) ?? new Map<L, V>();
  maps.set(key, found);
  return found;
}

function remove<K, L>(maps: Map<K, Map<L, unknown>>, key: K, inner: L): void {
  const map = maps.get(key);
  map?.delete(inner);
  if (map?.size === 0) maps.delete(key);
}

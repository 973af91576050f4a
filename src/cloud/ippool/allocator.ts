import { CloudError } from "../errors.ts";
import { type Address, addressText, type Family } from "../../ip/mod.ts";
import { type Claim, type Claimant, Claims } from "./claims.ts";
import { FreeAddresses } from "./free_addresses.ts";
import { isFor, type Pool, PoolIndex, type PoolRange } from "./pools.ts";
import type { Wish } from "./wish.ts";

/** How many addresses with its key a Service tries to share. */
const MOST_SHARED = 64;

/** There is no address for a Service. */
export class NoAddressError extends CloudError {
  override readonly name = "NoAddressError";
}

/** An address that a Service cannot keep because an older Service has it. */
export interface AddressConflict {
  readonly claimant: Claimant;
  readonly address: Address;
}

/**
 * Allocates addresses to Services.
 *
 * Contract:
 * 1. No address is given to two Services but those that may share it.
 * 2. A Service keeps its address while its pool is for the Service and the Service requests no other.
 * 3. An address that a Service should lose stays taken until its status no longer shows it: see {@link Releases}. Those
 *    who share it with that Service keep it meanwhile, whatever their keys become.
 * 4. Each method decides and notes in one go, so that calls that run side by side never decide on the same state.
 * 5. A Service whose address is no longer in any pool keeps it, while it asks for no other and this process lives. What
 *    an address outside of all pools was before, a status does not tell: it may be another cloud's.
 */
export class Allocator {
  readonly claims: Claims;
  #pools: readonly Pool[] = [];
  #index = new PoolIndex([]);
  #free = new Map<PoolRange["range"], FreeAddresses>();
  /** Addresses that were in a pool when they were allocated or adopted, but no longer are. */
  readonly #orphans = new Set<string>();

  constructor(pools: readonly Pool[]) {
    this.claims = new Claims((address) => {
      this.#orphans.delete(addressText(address));
      const found = this.#index.of(address);
      if (found) this.#free.get(found.range)?.released(address.value);
    });
    this.#use(pools);
  }

  /**
   * Replaces the pools.
   * @returns Claims whose address is no longer in any pool.
   */
  setPools(pools: readonly Pool[]): Claim[] {
    const all = this.claims.uids.flatMap((uid) => this.claims.of(uid));
    const wasOurs = all.filter(({ address }) => this.#index.of(address));
    this.#use(pools);
    const orphans = wasOurs.filter(({ address }) => !this.#index.of(address));
    for (const { address } of orphans) this.#orphans.add(addressText(address));
    return orphans.filter(({ isLeaving }) => !isLeaving);
  }

  #use(pools: readonly Pool[]): void {
    this.#pools = pools;
    this.#index = new PoolIndex(pools);
    this.#free = new Map(pools.flatMap(({ ranges }) =>
      ranges.map((range) => {
        const { family } = range;
        return [range, new FreeAddresses(range, (value) => this.claims.isUsed({ family, value }))] as const;
      })
    ));
  }

  /**
   * Records the addresses that Services have, oldest first.
   * @returns Those that they cannot keep because an older one has them.
   */
  adopt(found: Iterable<{ readonly claimant: Claimant; readonly addresses: readonly Address[] }>): AddressConflict[] {
    const conflicts: AddressConflict[] = [];
    for (const { claimant, addresses } of found) {
      for (const address of addresses) {
        const pool = this.#index.of(address)?.pool;
        const isFree = this.claims.admits(address, claimant, pool?.sharing ?? "None");
        this.claims.set({ address, claimant, isLeaving: !isFree });
        if (!isFree && pool) conflicts.push({ claimant, address });
      }
    }
    return conflicts;
  }

  /**
   * Allocates a Service's addresses, in the order of its families.
   *
   * @throws {NoAddressError} If there is none. Nothing changes then.
   */
  assign(wish: Wish): Address[] {
    const failures: NoAddressError[] = [];
    const chosen: Address[] = [];
    for (const family of wish.families) {
      try {
        chosen.push(this.#choose(wish, family));
      } catch (error) {
        if (!(error instanceof NoAddressError) || wish.needsAll || wish.addresses.has(family)) throw error;
        failures.push(error);
      }
    }
    if (chosen.length === 0) throw failures[0];
    this.release(wish.uid);
    for (const address of chosen) this.claims.set({ address, claimant: claimantOf(wish), isLeaving: false });
    return chosen;
  }

  /** Frees the Service's addresses once its status no longer shows them. */
  release(uid: string): void {
    for (const claim of this.claims.of(uid)) if (!claim.isLeaving) this.claims.set({ ...claim, isLeaving: true });
  }

  #choose(wish: Wish, family: Family): Address {
    const pools = this.#poolsFor(wish, family);
    const request = wish.addresses.get(family);
    if (request) return this.#requested(wish, request, pools);
    const kept = this.claims.of(wish.uid).map(({ address }) => address)
      .find((address) => address.family === family && this.#keeps(wish, address));
    if (kept) return kept;
    const giving = wish.pool === undefined ? pools.filter(({ autoAssign }) => autoAssign) : pools;
    const address = this.#shared(wish, family, giving) ?? this.#lowest(family, giving);
    if (address) return address;
    throw new NoAddressError(
      giving.length === 0
        ? `no pool gives ${family} addresses to this Service${inPool(wish)}`
        : `no free address in pools ${giving.map(({ name }) => name).join(", ")}`,
    );
  }

  #poolsFor({ service, pool: name }: Wish, family: Family): Pool[] {
    return this.#pools.filter((pool) =>
      (name === undefined || pool.name === name) && isFor(pool, service) &&
      pool.ranges.some((range) => range.family === family)
    );
  }

  #requested(wish: Wish, address: Address, pools: readonly Pool[]): Address {
    const text = addressText(address);
    const pool = this.#index.of(address)?.pool;
    const isOwnOrphan = this.#orphans.has(text) &&
      this.claims.of(wish.uid).some((claim) => isSame(claim.address, address));
    if (!isOwnOrphan && (!pool || !pools.includes(pool))) {
      throw new NoAddressError(`requested address ${text} is in no pool for this Service${inPool(wish)}`);
    }
    // Other tenants must not learn who has it.
    if (!this.claims.admits(address, claimantOf(wish), pool?.sharing ?? "None")) {
      throw new NoAddressError(`requested address ${text} is in use by another Service`);
    }
    return address;
  }

  #keeps(wish: Wish, address: Address): boolean {
    const pool = this.#index.of(address)?.pool;
    const fits = pool
      ? (wish.pool === undefined || wish.pool === pool.name) && isFor(pool, wish.service)
      : wish.pool === undefined && this.#orphans.has(addressText(address));
    return fits && this.claims.admits(address, claimantOf(wish), pool?.sharing ?? "None");
  }

  /** An address that other Services with its key have. */
  #shared(wish: Wish, family: Family, pools: readonly Pool[]): Address | undefined {
    if (wish.sharingKey === undefined) return undefined;
    const claimant = claimantOf(wish);
    const scopes = pools.some(({ sharing }) => sharing === "Cluster") ? [wish.namespace, undefined] : [wish.namespace];
    for (const namespace of scopes) {
      let left = MOST_SHARED;
      for (const address of this.claims.withKey(wish.sharingKey, namespace)) {
        if (left-- === 0) break;
        const pool = this.#index.of(address)?.pool;
        if (address.family !== family || !pool || !pools.includes(pool)) continue;
        if (this.claims.admits(address, claimant, pool.sharing)) return address;
      }
    }
  }

  #lowest(family: Family, pools: readonly Pool[]): Address | undefined {
    for (const { ranges } of pools) {
      for (const range of ranges) {
        const value = range.family === family ? this.#free.get(range)?.lowest : undefined;
        if (value !== undefined) return { family, value };
      }
    }
  }
}

/** The claimant of a wish. */
function claimantOf({ uid, namespace, name, sharingKey, ports }: Wish): Claimant {
  return { uid, namespace, name, sharingKey, ports };
}

function inPool({ pool }: Wish): string {
  return pool === undefined ? "" : `, of those called ${JSON.stringify(pool)}`;
}

function isSame(a: Address, b: Address): boolean {
  return a.family === b.family && a.value === b.value;
}

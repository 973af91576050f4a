import { LruMap } from "../../base/mod.ts";
import { type Identity, identityKey } from "./identity.ts";

/** Upstream's limit: enough for the owners of one burst of deletions. */
const CAPACITY = 500;
/** No object has a longer identity, but references to missing objects may; such owners are looked up each time. */
const LONGEST_KEY = 1024;

/**
 * Owners that the API server said do not exist. Entries need no expiry, because a UID never comes back; the one unused
 * for longest makes room. Upstream: `pkg/controller/garbagecollector/uid_cache.go`.
 */
export class AbsentOwnerCache {
  readonly #absent: LruMap<string, true>;

  constructor({ capacity = CAPACITY }: { capacity?: number } = {}) {
    this.#absent = new LruMap(capacity);
  }

  add(owner: Identity): void {
    const key = identityKey(owner);
    if (key.length <= LONGEST_KEY) this.#absent.set(key, true);
  }

  /** Whether `owner` is known to be absent; asking keeps the entry alive. */
  has(owner: Identity): boolean {
    return this.#absent.get(identityKey(owner)) === true;
  }
}

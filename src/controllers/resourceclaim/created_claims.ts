import { compareResourceVersions, joinKey, objectKey, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { Indexer } from "../../cache/mod.ts";
import type { Claimant } from "../device_claims/mod.ts";
import { claimsOwnedBy, ownerKeyOf, ownKeyOf } from "./indexes.ts";

/** How long until a cache that does not show a claim never will. */
const TTL_MS = 3_600_000;

interface Created {
  readonly claim: ResourceV1ResourceClaim;
  readonly ownerKey: string;
  readonly untilMs: number;
}

/**
 * The claims of pods and groups, including those just created, so that a cache that lags does not cause duplicates.
 *
 * Contract:
 * 1. A claim that was noted is found among those of its owner, and by its name, until the cache shows it, or a newer
 *    version of it.
 * 2. From then on only the cache counts, so a claim that is deleted is no longer found.
 * 3. What the cache never shows is forgotten after an hour.
 *
 * Upstream: `k8s.io/client-go/tools/cache` (MutationCache), which goes on showing what the cache has shown and lost.
 */
export class CreatedClaims {
  readonly #clock: Clock;
  readonly #claims: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex" | "get">;
  /** By the claim's key, the oldest first. */
  readonly #created = new Map<string, Created>();
  /** Keys of claims by the key of their owner. */
  readonly #byOwner = new Map<string, Set<string>>();

  constructor(clock: Clock, claims: Pick<Indexer<ResourceV1ResourceClaim>, "byIndex" | "get">) {
    this.#clock = clock;
    this.#claims = claims;
  }

  /** Records the API server's answer to a creation. */
  note(claim: ResourceV1ResourceClaim): void {
    const key = objectKey(claim);
    const ownerKey = ownerKeyOf(claim);
    const shown = this.#claims.get(key);
    this.#forgetOverdue();
    if (ownerKey === undefined || shown && isAtLeast(shown, claim)) return;
    this.#forget(key);
    this.#created.set(key, { claim, ownerKey, untilMs: this.#clock.monotonicMs() + TTL_MS });
    const keys = this.#byOwner.get(ownerKey);
    if (keys) keys.add(key);
    else this.#byOwner.set(ownerKey, new Set([key]));
  }

  /** Records that the cache shows a claim or its deletion. */
  shown(claim: ResourceV1ResourceClaim): void {
    const key = objectKey(claim);
    const created = this.#created.get(key);
    if (created && isAtLeast(claim, created.claim)) this.#forget(key);
  }

  /** The claim of this name, if there is one. */
  find(namespace: string | undefined, name: string): ResourceV1ResourceClaim | undefined {
    this.#forgetOverdue();
    const key = joinKey(namespace, name);
    return this.#claims.get(key) ?? this.#created.get(key)?.claim;
  }

  /** The claims that a pod or a group owns. */
  of(owner: Claimant): ResourceV1ResourceClaim[] {
    this.#forgetOverdue();
    const ownerKey = ownKeyOf(owner);
    const created = Array.from(this.#byOwner.get(ownerKey) ?? [], (key) => this.#created.get(key)!.claim);
    const newer = new Set(created.map(objectKey));
    return [...claimsOwnedBy(this.#claims, ownerKey).filter((claim) => !newer.has(objectKey(claim))), ...created];
  }

  #forgetOverdue(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, { untilMs }] of this.#created) {
      if (untilMs > nowMs) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    const created = this.#created.get(key);
    if (!created) return;
    this.#created.delete(key);
    const keys = this.#byOwner.get(created.ownerKey);
    keys?.delete(key);
    if (keys?.size === 0) this.#byOwner.delete(created.ownerKey);
  }
}

/** Whether a version of a claim is the other one or comes after it. */
function isAtLeast({ metadata }: ResourceV1ResourceClaim, other: ResourceV1ResourceClaim): boolean {
  const order = compareResourceVersions(metadata?.resourceVersion ?? "", other.metadata?.resourceVersion ?? "");
  return order === undefined || order >= 0;
}

import { type Clock, FairQueue, QueueFullError } from "../../base/mod.ts";
import { type Peer } from "../../https/mod.ts";
import type { ClientAuthorities } from "./client_certificates.ts";
import type { User } from "./user.ts";

/** The worst certificate chain that a handshake may carry takes 30 ms to verify, a usual one takes one. */
const RATES = { perSecond: 20, burst: 20, mostHeld: 400, mostHeldOfOne: 100 } as const;
/** The same as for the API server's answers about tokens. */
const TTL_MS = 10_000;

interface Kept {
  readonly user: Promise<User>;
  readonly untilMs: number;
}

/**
 * Verifies client certificates. Strangers send them too, so their cost is limited to a share of the thread.
 *
 * Contract:
 * 1. A connection's certificate is verified once in ten seconds against each bundle of authorities, however many
 *    requests it sends.
 * 2. Addresses take turns: 20 reviews start at once, then 20 a second; an address with 100 waiting gets a
 *    `QueueFullError` for more, and may ask again.
 *
 * Upstream verifies every request's, on all processors.
 */
export class CertificateReviews {
  readonly #clock: Clock;
  readonly #turns: FairQueue;
  readonly #kept = new WeakMap<ClientAuthorities, WeakMap<Uint8Array, Kept>>();

  /** @param signal Ends waiting ones. */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#turns = new FairQueue({ clock, ...RATES });
    signal.addEventListener("abort", () => this.#turns.close(), { once: true });
  }

  /**
   * The user of a connection's certificate according to `authorities`; `undefined` if it has none.
   *
   * @throws {Error} If they do not trust it.
   */
  async userOf(
    { certificate, intermediates, source }: Pick<Peer, "certificate" | "intermediates" | "source">,
    authorities: ClientAuthorities,
  ): Promise<User | undefined> {
    if (!certificate) return undefined;
    const ofBundle = this.#kept.get(authorities) ?? new WeakMap<Uint8Array, Kept>();
    this.#kept.set(authorities, ofBundle);
    const nowMs = this.#clock.monotonicMs();
    const kept = ofBundle.get(certificate);
    if (kept && nowMs < kept.untilMs) return await kept.user;
    const user = this.#turns.run(source, () => authorities.userOf(certificate, intermediates));
    ofBundle.set(certificate, { user, untilMs: nowMs + TTL_MS });
    return await user.catch((error: Error) => {
      if (error instanceof QueueFullError) ofBundle.delete(certificate);
      throw error;
    });
  }
}

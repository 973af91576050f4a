import { errorText, sleep, type World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { Claim, Claims } from "./claims.ts";
import { getShown, listShown } from "./live_services.ts";

/** How often due Services are checked. The controller writes a status right after the call. */
const TURN_MS = 500;
/** The longest interval between checks of one Service. */
const LONGEST_WAIT_MS = 60_000;
/** All Services are listed no more often than this. */
const RECHECK_PERIOD_MS = 60_000;

/**
 * Frees the addresses that Services are leaving once their statuses no longer show them, so that a process that ends in
 * between never gives an address to two Services.
 */
export class Releases {
  readonly #world: World;
  readonly #claims: Claims;
  /** By UID: when to check again, and how long to wait after that. */
  readonly #turns = new Map<string, { readonly dueMs: number; readonly delayMs: number }>();
  #recheckedMs = -Infinity;

  constructor(world: World, claims: Claims) {
    this.#world = world;
    this.#claims = claims;
  }

  /** Checks addresses that Services are leaving until `signal` aborts. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world;
    while (await sleep(clock, TURN_MS, signal)) {
      for (const uid of this.#due()) {
        if (signal.aborted) return;
        try {
          await this.#look(client, uid, signal);
        } catch (error) {
          if (!signal.aborted) log.warn("Cannot tell whether an address is free", { uid, err: errorText(error) });
        }
      }
    }
  }

  /** Checks this Service soon, because something changed. */
  hurry(uid: string): void {
    this.#turns.delete(uid);
  }

  /**
   * Frees the addresses of Services whose deletion was missed; at most once a minute.
   *
   * @returns Whether it checked.
   * @throws {Error} If the API server does not answer.
   */
  async recheck(client: Client, signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#world.clock.monotonicMs();
    if (nowMs - this.#recheckedMs < RECHECK_PERIOD_MS) return false;
    this.#recheckedMs = nowMs;
    const before = new Map(this.#claims.uids.map((uid) => [uid, this.#claims.of(uid)]));
    const showing = new Set((await listShown(client, signal)).map(({ claimant }) => claimant.uid));
    for (const [uid, claims] of before) {
      // A Service that shows nothing may be about to; only one that is gone has lost its addresses.
      if (showing.has(uid) || await getShown(client, claims[0].claimant, signal)) continue;
      this.#release(claims);
    }
    return true;
  }

  /** @throws {Error} If the API server cannot be read. */
  async #look(client: Client, uid: string, signal: AbortSignal): Promise<void> {
    const leaving = this.#claims.of(uid).filter(({ isLeaving }) => isLeaving);
    if (leaving.length === 0) return;
    const shown = await getShown(client, leaving[0].claimant, signal);
    this.#release(
      leaving.filter(({ address: { family, value } }) =>
        !shown?.addresses.some((address) => address.family === family && address.value === value)
      ),
    );
  }

  /** Ends these claims, except those renewed in the meantime. */
  #release(claims: readonly Claim[]): void {
    for (const claim of claims) {
      if (this.#claims.of(claim.claimant.uid).includes(claim)) this.#claims.release(claim);
    }
  }

  #due(): string[] {
    const nowMs = this.#world.clock.monotonicMs();
    const { leaving } = this.#claims;
    for (const uid of this.#turns.keys()) if (!leaving.has(uid)) this.#turns.delete(uid);
    return [...leaving].filter((uid) => {
      const { dueMs, delayMs } = this.#turns.get(uid) ?? { dueMs: nowMs, delayMs: TURN_MS };
      if (nowMs < dueMs) return false;
      this.#turns.set(uid, { dueMs: nowMs + delayMs, delayMs: Math.min(2 * delayMs, LONGEST_WAIT_MS) });
      return true;
    });
  }
}

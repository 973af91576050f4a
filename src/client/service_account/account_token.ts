import { unlessAborted, type World } from "../../base/mod.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { ACCOUNT_NAMESPACE } from "./ensure_account.ts";
import type { IssuedToken } from "./issue_token.ts";

/** Options of {@link AccountToken}. */
export interface AccountTokenOptions {
  readonly world: Pick<World, "clock" | "log">;
  /** The account's name. */
  readonly name: string;
  /** Requests a new token. `refused` is the Authorization header that the server rejected, if that is the reason. */
  issue(signal: AbortSignal, refused?: string): Promise<IssuedToken>;
}

/** How long the old token is used after a failed renewal. */
const RENEW_AGAIN_MS = 10_000;
/** If the server rejects a token that it has just issued, it would reject a new one too. */
const LEAST_AGE_MS = 1000;

interface Token {
  readonly authorization: string;
  readonly issuedMs: number;
  /** When a new one will be requested. */
  renewMs: number;
}

/** A token request in progress. */
interface Flight {
  readonly token: Promise<Token>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * The credentials of one controller: a short-lived token for its own ServiceAccount, renewed before it expires.
 *
 * Contract:
 * 1. No token is requested before one is needed.
 * 2. A token is renewed by the first request after the time for which it is to be used.
 * 3. Requests that need one at the same time share one.
 * 4. While a token cannot be renewed the old one is used, and the next renewal comes ten seconds later.
 * 5. A 401 drops the token that it was for, unless that is younger than a second.
 * 6. A request that is given up waits no longer; when nobody waits, the token is not asked for any more.
 *
 * Upstream: `client-go/transport/token_source.go` (cachingTokenSource), which tries to renew with every request.
 */
export class AccountToken implements Credentials {
  readonly #options: AccountTokenOptions;
  #token: Token | undefined;
  #refused: string | undefined;
  #flight: Flight | undefined;

  constructor(options: AccountTokenOptions) {
    this.#options = options;
  }

  /** @throws {ConnectionError | WriteRefusedError} If there is no token and none can be obtained. */
  async authorization(signal?: AbortSignal): Promise<string> {
    return (await this.#current(signal)).authorization;
  }

  /** The token and how long it may be used, for callers that keep it. Throws like {@link authorization}. */
  async usable(signal?: AbortSignal): Promise<IssuedToken> {
    const { authorization, renewMs } = await this.#current(signal);
    return { authorization, usableMs: renewMs - this.#nowMs() };
  }

  refused(authorization: string | undefined): void {
    const token = this.#token;
    if (token?.authorization !== authorization || this.#nowMs() - token!.issuedMs < LEAST_AGE_MS) return;
    this.#token = undefined;
    this.#refused = authorization;
  }

  async #current(signal: AbortSignal | undefined): Promise<Token> {
    signal?.throwIfAborted();
    const isGood = this.#token && this.#nowMs() < this.#token.renewMs;
    return isGood ? this.#token! : await this.#next(signal);
  }

  /** The token request in progress; starts one if there is none. */
  async #next(signal: AbortSignal | undefined): Promise<Token> {
    const flight = this.#flight ??= this.#start();
    flight.waiting++;
    try {
      return await (signal ? unlessAborted(flight.token, signal) : flight.token);
    } finally {
      if (--flight.waiting === 0) {
        flight.stop.abort(); // has no effect once the token is there
        if (this.#flight === flight) this.#flight = undefined;
      }
    }
  }

  #start(): Flight {
    const stop = new AbortController();
    const token = this.#renew(stop.signal);
    token.catch(() => {}); // everybody may have gone
    return { token, stop, waiting: 0 };
  }

  async #renew(signal: AbortSignal): Promise<Token> {
    const { world: { log }, name, issue } = this.#options;
    try {
      const { authorization, usableMs } = await issue(signal, this.#refused);
      const issuedMs = this.#nowMs();
      this.#refused = undefined;
      return this.#token = { authorization, issuedMs, renewMs: issuedMs + usableMs };
    } catch (err) {
      const old = this.#token;
      if (!old || signal.aborted) throw err;
      log.error("Unable to rotate token", { account: `${ACCOUNT_NAMESPACE}/${name}`, err });
      old.renewMs = this.#nowMs() + RENEW_AGAIN_MS;
      return old;
    }
  }

  #nowMs(): number {
    return this.#options.world.clock.monotonicMs();
  }
}

import { encodeHex } from "@std/encoding/hex";
import { SUBJECTACCESSREVIEWS, TOKENREVIEWS } from "../../api/mod.ts";
import { FairQueue, sleep, unlessAborted, type World } from "../../base/mod.ts";
import { type Client, ConnectionError, StatusError } from "../../client/mod.ts";
import { ExpiringCache } from "./expiring_cache.ts";
import { type Holder, holderIn, type Verdict, verdictIn } from "./review_answers.ts";
import type { User } from "./user.ts";

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;

/** Upstream's rates: `DelegatingAuthenticationOptions` and `DelegatingAuthorizationOptions`. The bounds are ours. */
const RATES = { perSecond: 200, burst: 400, mostRunning: 50, mostHeld: 400, mostHeldOfOne: 200 } as const;
/** How long a question may take in total, including waiting and retries. Upstream: `TokenRequestTimeout`. */
const ANSWERED_WITHIN_MS = 10_000;
/** For a token that the API server rejects with an error, which may be temporary; upstream asks again each time. */
const REFUSED_TTL_MS = 2000;
/** Upstream: `maxControlledAttrCacheSize`. */
const MOST_CACHED_ATTRIBUTES = 10_000;

/** How to ask the API server. */
export interface Asking {
  readonly world: World;
  readonly client: Client;
  /** Ends every question. */
  readonly signal: AbortSignal;
}

/**
 * Questions to the API server: in fair turns by client, at upstream's rates, and limited in number.
 *
 * Contract:
 * 1. If the API server cannot be reached, fails or is too busy, it is asked again, five times in all.
 * 2. A question without an answer within ten seconds fails.
 * 3. A client with too many open questions gets a `QueueFullError` for more.
 */
class ReviewQueue {
  readonly #asking: Asking;
  readonly #queue: FairQueue;

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#queue = new FairQueue({ clock: asking.world.clock, ...RATES });
    asking.signal.addEventListener("abort", () => this.#queue.close(), { once: true });
  }

  get open(): number {
    return this.#queue.held;
  }

  async ask<T>(source: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { world: { clock, random }, signal } = this.#asking;
    const late = new AbortController();
    const timer = clock.setTimer(
      ANSWERED_WITHIN_MS,
      () => late.abort(new Error("the API server has not answered in time")),
    );
    const end = AbortSignal.any([signal, late.signal]);
    try {
      let waitMs = FIRST_WAIT_MS;
      for (let attempt = 1;; attempt++) {
        try {
          const asked = this.#queue.run(source, () => ask(end), { isWanted: () => !end.aborted });
          return await unlessAborted(asked, end);
        } catch (error) {
          if (attempt === ATTEMPTS || !isPassing(error)) throw error;
          if (!await sleep(clock, waitMs * (1 + random.float() * JITTER), end)) throw error;
          waitMs *= FACTOR;
        }
      }
    } finally {
      timer.cancel();
    }
  }
}

/**
 * Asks the API server whose bearer token it is.
 * Upstream: `k8s.io/apiserver/plugin/pkg/authenticator/token/webhook`.
 */
export class TokenReviews {
  readonly #asking: Asking;
  readonly #questions: ReviewQueue;
  readonly #cache: ExpiringCache<Holder>;

  constructor(asking: Asking, { ttlMs }: { readonly ttlMs: number }) {
    this.#asking = asking;
    this.#questions = new ReviewQueue(asking);
    this.#cache = new ExpiringCache({
      clock: asking.world.clock,
      ttlMs: ({ error }) => error === undefined ? ttlMs : Math.min(ttlMs, REFUSED_TTL_MS),
      size: (holder) => JSON.stringify(holder).length,
      signal: asking.signal,
    });
  }

  get cachedBytes(): number {
    return this.#cache.bytes;
  }

  /** Questions without an answer yet. */
  get open(): number {
    return this.#questions.open;
  }

  /**
   * @param source Who gets the turn.
   * @returns `undefined` if the token belongs to no user.
   * @throws {Error} If the API server cannot decide. `QueueFullError` if too many wait for it.
   */
  async userOf(token: string, source: string): Promise<User | undefined> {
    // The token itself is never stored.
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    const key = encodeHex(new Uint8Array(digest));
    const { user, error } = await this.#cache.get(key, () => this.#ask(token, source));
    if (error !== undefined) throw new Error(error);
    return user;
  }

  async #ask(token: string, source: string): Promise<Holder> {
    const { client } = this.#asking;
    const { status } = await this.#questions.ask(
      source,
      (signal) => client.create(TOKENREVIEWS, { metadata: {}, spec: { token } }, { signal }),
    );
    return holderIn(status);
  }
}

/** The requested action. */
export interface Wish {
  readonly verb: string;
  readonly path: string;
}

/**
 * Asks the API server who may do what. Answers about requests of 10,000 characters or more are not cached: they may be
 * an attack.
 * Upstream: `k8s.io/apiserver/plugin/pkg/authorizer/webhook`.
 */
export class AccessReviews {
  readonly #asking: Asking;
  readonly #questions: ReviewQueue;
  readonly #cache: ExpiringCache<Verdict>;

  constructor(
    asking: Asking,
    { allowTtlMs, denyTtlMs }: { readonly allowTtlMs: number; readonly denyTtlMs: number },
  ) {
    this.#asking = asking;
    this.#questions = new ReviewQueue(asking);
    this.#cache = new ExpiringCache({
      clock: asking.world.clock,
      ttlMs: ({ isAllowed }) => isAllowed ? allowTtlMs : denyTtlMs,
      size: ({ reason }) => reason.length,
      signal: asking.signal,
    });
  }

  get cachedBytes(): number {
    return this.#cache.bytes;
  }

  /** Questions without an answer yet. */
  get open(): number {
    return this.#questions.open;
  }

  /**
   * @param source Who gets the turn.
   * @throws {Error} If the API server cannot decide. `QueueFullError` if too many wait for it.
   */
  async ask({ name: user, uid, groups, extra }: User, { verb, path }: Wish, source: string): Promise<Verdict> {
    const spec = {
      user,
      uid,
      groups: [...groups],
      extra: extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
      nonResourceAttributes: { path, verb },
    };
    const ask = async () => {
      const { client } = this.#asking;
      const { status } = await this.#questions.ask(
        source,
        (signal) => client.create(SUBJECTACCESSREVIEWS, { metadata: {}, spec }, { signal }),
      );
      return verdictIn(status);
    };
    if (verb.length + path.length >= MOST_CACHED_ATTRIBUTES) return await ask();
    return await this.#cache.get(JSON.stringify(spec), ask);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof StatusError && (error.code === 429 || error.code >= 500);
}

import { encodeHex } from "@std/encoding/hex";
import { SUBJECTACCESSREVIEWS, TOKENREVIEWS } from "../../api/mod.ts";
import { sleep, type World } from "../../base/mod.ts";
import { type Client, ConnectionError, StatusError } from "../../client/mod.ts";
import { ExpiringCache } from "./expiring_cache.ts";
import type { User } from "./user.ts";

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;

/** How the API server is asked. */
export interface Asking {
  readonly world: World;
  readonly client: Client;
  /** Ends every question. */
  readonly signal: AbortSignal;
}

/**
 * Asks the API server who holds a bearer token.
 * Upstream: `k8s.io/apiserver/plugin/pkg/authenticator/token/webhook`.
 */
export class TokenReviews {
  readonly #asking: Asking;
  readonly #cache: ExpiringCache<User | undefined>;

  constructor(asking: Asking, { ttlMs }: { readonly ttlMs: number }) {
    this.#asking = asking;
    this.#cache = new ExpiringCache(asking.world.clock, () => ttlMs);
  }

  /** @returns `undefined` for a token of nobody. @throws {Error} If the API server cannot say. */
  async userOf(token: string): Promise<User | undefined> {
    // The token itself is kept nowhere.
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    return await this.#cache.get(encodeHex(new Uint8Array(digest)), () => this.#ask(token));
  }

  async #ask(token: string): Promise<User | undefined> {
    const { client, signal } = this.#asking;
    const { status } = await patiently(
      this.#asking,
      () => client.create(TOKENREVIEWS, { metadata: {}, spec: { token } }, { signal }),
    );
    if (!status?.authenticated) {
      if (status?.error) throw new Error(status.error);
      return undefined;
    }
    const { username = "", uid, groups = [], extra } = status.user ?? {};
    return { name: username, uid, groups, extra };
  }
}

/** What the API server says of a wish. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/**
 * Asks the API server who may do what.
 * Upstream: `k8s.io/apiserver/plugin/pkg/authorizer/webhook`.
 */
export class AccessReviews {
  readonly #asking: Asking;
  readonly #cache: ExpiringCache<Verdict>;

  constructor(
    asking: Asking,
    { allowTtlMs, denyTtlMs }: { readonly allowTtlMs: number; readonly denyTtlMs: number },
  ) {
    this.#asking = asking;
    this.#cache = new ExpiringCache(asking.world.clock, ({ isAllowed }) => isAllowed ? allowTtlMs : denyTtlMs);
  }

  /** @throws {Error} If the API server cannot say. */
  ask({ name: user, uid, groups, extra }: User, verb: string, path: string): Promise<Verdict> {
    const spec = {
      user,
      uid,
      groups: [...groups],
      extra: extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
      nonResourceAttributes: { path, verb },
    };
    return this.#cache.get(JSON.stringify(spec), async () => {
      const { client, signal } = this.#asking;
      const { status } = await patiently(
        this.#asking,
        () => client.create(SUBJECTACCESSREVIEWS, { metadata: {}, spec }, { signal }),
      );
      return { isAllowed: status?.allowed === true && status.denied !== true, reason: status?.reason ?? "" };
    });
  }
}

/** Asks again where the API server could not be reached, or was too busy. */
async function patiently<T>({ world: { clock, random }, signal }: Asking, ask: () => Promise<T>): Promise<T> {
  let waitMs = FIRST_WAIT_MS;
  for (let attempt = 1;; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      if (!await sleep(clock, waitMs * (1 + random.float() * JITTER), signal)) throw error;
      waitMs *= FACTOR;
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof StatusError && (error.code === 429 || error.code >= 500);
}

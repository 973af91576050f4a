import { errorText, type World } from "../../base/mod.ts";
import type { Credentials } from "./credentials.ts";

/** Projected tokens are rotated well before they expire, so once a minute suffices, minus ten seconds of leeway. */
const MAX_AGE_MS = 50_000;
/** How often, at most, a refused token is read again. */
const MIN_AGE_MS = 1000;

/**
 * A token in a file that another process rotates.
 *
 * Contract:
 * 1. A rotated token is used within a minute.
 * 2. After a 401 the file is read again for the next request, at most once a second.
 * 3. While the file is empty or cannot be read, the last good token stays in use, and before the first the fallback;
 *    without either the file is read again for each request.
 *
 * Upstream: `client-go/transport/token_source.go`, which does not read a file again because of a 401.
 */
export class TokenFile implements Credentials {
  readonly #world: World;
  readonly #path: string;
  #token?: string;
  #readMs = -Infinity;
  #reading?: Promise<void>;

  constructor(world: World, { path, fallback }: { readonly path: string; readonly fallback?: string }) {
    this.#world = world;
    this.#path = path;
    this.#token = fallback || undefined;
  }

  /** @throws {Error} If no token could ever be read. */
  async authorization(): Promise<string | undefined> {
    if (this.#world.clock.monotonicMs() - this.#readMs > MAX_AGE_MS) {
      await (this.#reading ??= this.#read().finally(() => this.#reading = undefined));
    }
    return `Bearer ${this.#token}`;
  }

  refused(authorization: string | undefined): void {
    const isCurrent = authorization === `Bearer ${this.#token}`;
    if (isCurrent && this.#world.clock.monotonicMs() - this.#readMs >= MIN_AGE_MS) this.#readMs = -Infinity;
  }

  async #read(): Promise<void> {
    try {
      const token = (await this.#world.files.readText(this.#path)).trim();
      if (token === "") throw new Error(`read empty token from file "${this.#path}"`);
      this.#token = token;
    } catch (err) {
      if (this.#token === undefined) {
        const why = errorText(err);
        throw new Error(`Cannot authenticate: no token in ${this.#path} so far: ${why}`, { cause: err });
      }
      this.#world.log.error("Unable to rotate token", { err });
    }
    this.#readMs = this.#world.clock.monotonicMs();
  }
}

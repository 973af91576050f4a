import type { Clock, Files } from "../../base/mod.ts";
import type { CloudSetup } from "../factory.ts";

/** How much of a token's file is read. */
const MAX_TOKEN_BYTES = 4096;
/** How long a token is used before its file is read again. */
const FILE_PERIOD_MS = 10_000;

/** The source of the token in each request. The token is only kept here and sent in the request's header. */
export interface TokenSource {
  /** @throws {Error} If there is none, or it is not valid in a header; the message does not contain it. */
  token(): Promise<string>;
}

/**
 * The token in `HCLOUD_TOKEN`, or in the file that `HCLOUD_TOKEN_FILE` names, which is read again periodically. The
 * variable wins, as in the vendor's manager.
 *
 * @throws {Error} If neither is set.
 */
export function tokenSource({ env, world }: Pick<CloudSetup, "env" | "world">): TokenSource {
  const text = env("HCLOUD_TOKEN");
  if (text !== undefined) {
    const token = checked(text, "HCLOUD_TOKEN");
    return { token: () => Promise.resolve(token) };
  }
  const path = env("HCLOUD_TOKEN_FILE");
  if (!path) throw new Error('environment variable "HCLOUD_TOKEN" is required');
  return new FileToken(path, world.files, world.clock);
}

class FileToken implements TokenSource {
  readonly #path: string;
  readonly #files: Files;
  readonly #clock: Clock;
  #last: { readonly token: string; readonly atMs: number } | undefined;

  constructor(path: string, files: Files, clock: Clock) {
    this.#path = path;
    this.#files = files;
    this.#clock = clock;
  }

  async token(): Promise<string> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#last && nowMs - this.#last.atMs < FILE_PERIOD_MS) return this.#last.token;
    const where = `the file of HCLOUD_TOKEN_FILE (${this.#path})`;
    let text: string;
    try {
      text = await this.#files.readText(this.#path, MAX_TOKEN_BYTES);
    } catch (cause) {
      throw new Error(`failed to read ${where}`, { cause });
    }
    const token = checked(text, where);
    this.#last = { token, atMs: nowMs };
    return token;
  }
}

function checked(text: string, where: string): string {
  const token = text.trim();
  if (token === "") throw new Error(`there is no token in ${where}`);
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`the token in ${where} contains invalid characters`);
  return token;
}

import type { World } from "../../base/mod.ts";
import type { ReloadedFile } from "./reloaded_file.ts";

/** A certificate with the key that belongs to it, as PEM text. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Where one half of a pair comes from: a file, or the configuration itself. */
export type PemText = ReloadedFile | { text(): string };

/** How soon two files that do not match are read again. */
const LOOK_AGAIN_MS = 1000;

/**
 * A client certificate and its key. Whatever rotates them writes one file after the other.
 *
 * Contract:
 * 1. Certificate and key always match: while only one of the files has been replaced, the last good pair stays in use.
 * 2. Files that do not belong together are looked at again a second later, not only after the usual five minutes.
 * 3. `onChange` is called after a later pair has been taken.
 *
 * If the texts cannot be parsed, the TLS library decides.
 * Upstream: `client-go/transport/cert_rotation.go`, whose `tls.LoadX509KeyPair` refuses a pair that does not match.
 */
export class CertificatePair {
  readonly #world: World;
  readonly #cert: PemText;
  readonly #key: PemText;
  #good: KeyPair | undefined;
  #hasLogged = false;
  onChange: () => void = () => {};

  constructor(world: World, { cert, key }: { readonly cert: PemText; readonly key: PemText }) {
    this.#world = world;
    this.#cert = cert;
    this.#key = key;
  }

  /** @throws {Error} If a file cannot be read or the two do not match, and there was no good pair before. */
  async pair(): Promise<KeyPair> {
    const pair = { key: await this.#key.text(), cert: await this.#cert.text() };
    if (this.#isGood(pair)) return pair;
    const belongsTogether = await matches(pair);
    if (this.#isGood(pair)) return pair; // taken by another request meanwhile
    if (!belongsTogether) return this.#keepLast();
    const isFirst = this.#good === undefined;
    this.#good = pair;
    this.#hasLogged = false;
    if (!isFirst) this.onChange();
    return pair;
  }

  #isGood({ cert, key }: KeyPair): boolean {
    return this.#good?.cert === cert && this.#good.key === key;
  }

  #keepLast(): KeyPair {
    for (const half of [this.#cert, this.#key]) if ("lookAgainIn" in half) half.lookAgainIn(LOOK_AGAIN_MS);
    if (!this.#good) throw new Error("Cannot authenticate: the client key does not belong to the client certificate");
    if (!this.#hasLogged) {
      this.#world.log.error("Keeping the last good client certificate: the new one does not belong to the key");
    }
    this.#hasLogged = true;
    return this.#good;
  }
}

/** Whether the certificate is for the key; also `true` if that cannot be determined. */
async function matches({ cert, key }: KeyPair): Promise<boolean> {
  const { createPublicKey, X509Certificate } = await import("node:crypto"); // for the few who have such files
  const format = { type: "spki", format: "pem" } as const;
  try {
    return new X509Certificate(cert).publicKey.export(format) === createPublicKey(key).export(format);
  } catch {
    return true;
  }
}

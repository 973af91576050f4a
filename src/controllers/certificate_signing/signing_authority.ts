import type { Logger } from "../../base/mod.ts";
import {
  type Certificate,
  certificatesIn,
  type IssuingAlgorithm,
  pemBlocks,
  publicKeyBytes,
  readCertificates,
  readPublicKey,
} from "../../x509/mod.ts";
import { type Supplies } from "../running/mod.ts";

/** The flags that name an authority's files. */
export interface AuthorityFlags {
  readonly cert: string;
  readonly key: string;
}

/** An authority's certificate, and its key's algorithm. */
export interface Authority {
  readonly certificate: Certificate;
  readonly algorithm: IssuingAlgorithm;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
}

/**
 * An authority in two files, which may be replaced one after the other.
 *
 * Contract:
 * 1. The authority is that of the certificate's file as it is at present, if the key belongs to it.
 * 2. While the key does not belong to a changed certificate, or that cannot be read, the last one stays.
 * 3. A file of several certificates signs nothing, not even with the last one.
 * 4. Nothing is signed in the name of a certificate that the key does not belong to.
 *
 * Upstream: `pkg/controller/certificates/signer/ca_provider.go`, `dynamiccertificates.DynamicCertKeyPairContent`.
 */
export class SigningAuthority {
  readonly #log: Logger;
  readonly #supplies: Pick<Supplies, "files" | "signer">;
  readonly #flags: AuthorityFlags;
  #last: { readonly text: string; readonly authority: Authority } | undefined;

  constructor(log: Logger, supplies: Pick<Supplies, "files" | "signer">, flags: AuthorityFlags) {
    this.#log = log;
    this.#supplies = supplies;
    this.#flags = flags;
  }

  /**
   * The current authority.
   *
   * @throws {Error} If there never was one, or by sentence 3 of the contract.
   */
  async current(): Promise<Authority> {
    const { files, signer } = this.#supplies;
    const { cert, key } = this.#flags;
    const text = files.text(cert);
    if (this.#last?.text === text) return this.#last.authority;
    const publicKey = await signer.publicKey(key);
    const objection = pairObjection(text, publicKey);
    if (objection !== undefined) {
      if (!this.#last) throw new Error(`Cannot use the pair of --${cert} and --${key}: ${objection}`);
      this.#log.error("Cannot use a changed certificate; the last one stays", { flag: cert, reason: objection });
      return this.#last.authority;
    }
    const certificates = readCertificates(text);
    if (certificates.length !== 1) {
      throw new Error(`error reading CA cert file of --${cert}: expected 1 certificate, found ${certificates.length}`);
    }
    const [certificate] = certificates;
    const authority = { certificate, publicKey, algorithm: algorithmOf(certificate, key) };
    this.#last = { text, authority };
    return authority;
  }

  /**
   * Signs as `authority`.
   * @throws {Error} By sentence 4 of the contract.
   */
  async sign({ algorithm, publicKey }: Authority, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const { cert, key } = this.#flags;
    const signed = await this.#supplies.signer.sign(key, algorithm, data);
    if (isSame(signed.publicKey, publicKey)) return signed.signature;
    throw new Error(`Cannot sign with the key of --${key}: the certificate of --${cert} is not its own yet`);
  }
}

/** Why the first certificate in a text does not match a key. Upstream: `crypto/tls` (X509KeyPair). */
function pairObjection(text: string, publicKey: Uint8Array): string | undefined {
  const block = pemBlocks(text).find(({ type }) => type === "CERTIFICATE");
  if (!block) return "there is no certificate";
  try {
    const [certificate] = certificatesIn(block.bytes);
    return isSame(publicKeyBytes(readPublicKey(certificate.publicKey)), publicKey)
      ? undefined
      : "private key does not match public key";
  } catch (error) {
    return (error as Error).message; // reading only throws MalformedError
  }
}

const OF_CURVES = { "P-224": undefined, "P-256": "ES256", "P-384": "ES384", "P-521": "ES512" } as const;

function algorithmOf({ publicKey }: Certificate, flag: string): IssuingAlgorithm {
  const key = readPublicKey(publicKey);
  const algorithm = key.type === "rsa" ? "RS256" : key.type === "ec" ? OF_CURVES[key.curve] : undefined;
  if (!algorithm) throw new Error(`Cannot sign with the key of --${flag}: give one of RSA, P-256, P-384 or P-521`);
  return algorithm;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

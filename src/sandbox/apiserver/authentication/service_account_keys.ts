import { errorText } from "../../../base/mod.ts";
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { encodeBase64Url } from "@std/encoding/base64url";
import type { Facts } from "../../storage/mod.ts";

const FACT = "service-account-signing-key";
const ALGORITHM = "ES256";

/** Why a token is not accepted, in the wording of a TokenReview. */
export class TokenError extends Error {
  override readonly name = "TokenError";
}

/** A key that can verify tokens, by the `kid` in their header. */
interface VerificationKey {
  readonly id: string;
  readonly algorithm: string;
  readonly key: KeyObject;
}

/** The claims of a token whose signature is valid. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Signs service account tokens, and tells those that were signed with a known key from all others.
 *
 * Contract:
 * 1. `verify` accepts what `sign` made, also in a later process over the same facts.
 * 2. `verify` accepts tokens that were signed with one of `publicKeys`, by RS256 or ECDSA, and no others.
 */
export class ServiceAccountKeys {
  readonly #facts: Facts;
  readonly #others: readonly VerificationKey[];
  #own: { readonly privateKeyText: string; readonly verification: VerificationKey } | undefined;

  /** @throws {TypeError} If one of `publicKeys` is not a public or private key in PEM. */
  constructor({ facts, publicKeys = [] }: { readonly facts: Facts; readonly publicKeys?: readonly string[] }) {
    this.#facts = facts;
    this.#others = publicKeys.map(verificationKey);
  }

  /** The private key in PEM. Tokens that others, such as a token controller, sign with it are accepted. */
  async privateKeyText(): Promise<string> {
    return (await this.#ownKey()).privateKeyText;
  }

  async sign(claims: Claims): Promise<string> {
    const { SignJWT, importPKCS8 } = await import("jose");
    const { privateKeyText, verification } = await this.#ownKey();
    const key = await importPKCS8(privateKeyText, ALGORITHM);
    return await new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid: verification.id }).sign(key);
  }

  /** @throws {TokenError} If no known key signed it. */
  async verify(token: string): Promise<Claims> {
    const { compactVerify, decodeProtectedHeader, errors } = await import("jose");
    const own = await this.#ownKey();
    const { kid } = decodeProtectedHeader(token);
    const keys = [own.verification, ...this.#others].filter(({ id }) => !kid || id === kid);
    if (keys.length === 0) throw new TokenError("invalid signature, no keys found");
    for (const { key, algorithm } of keys) {
      try {
        const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
        return JSON.parse(new TextDecoder().decode(payload));
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    throw new TokenError("go-jose/go-jose: error in cryptographic primitive");
  }

  async #ownKey(): Promise<{ readonly privateKeyText: string; readonly verification: VerificationKey }> {
    if (!this.#own) {
      const privateKeyText = this.#facts.readFact(FACT) ?? this.#keep(await generatedKey());
      this.#own = { privateKeyText, verification: verificationKey(privateKeyText) };
    }
    return this.#own;
  }

  /** If two processes generated a key at the same time, the first one counts. */
  #keep(privateKeyText: string): string {
    const known = this.#facts.readFact(FACT);
    if (known === undefined) this.#facts.writeFact(FACT, privateKeyText);
    return known ?? privateKeyText;
  }
}

async function generatedKey(): Promise<string> {
  const { generateKeyPair, exportPKCS8 } = await import("jose");
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return await exportPKCS8(privateKey);
}

/** The key's ID, a hash of the public key. Upstream: `pkg/serviceaccount/jwt.go` (keyIDFromPublicKey). */
function verificationKey(text: string): VerificationKey {
  try {
    const key = createPublicKey(text);
    const der = key.export({ type: "spki", format: "der" });
    const id = encodeBase64Url(createHash("sha256").update(der).digest());
    return { id, algorithm: algorithmOf(key), key };
  } catch (error) {
    const why = `The service account key is not an RSA or ECDSA key in PEM: ${errorText(error)}`;
    throw new TypeError(why, { cause: error });
  }
}

/** Read from its JWK, since runtimes describe a key's curve differently. */
function algorithmOf(key: KeyObject): string {
  const { kty, crv } = key.export({ format: "jwk" });
  if (kty === "RSA") return "RS256";
  if (crv === "P-256") return "ES256";
  if (crv === "P-384") return "ES384";
  if (crv === "P-521") return "ES512";
  throw new TypeError(`${key.asymmetricKeyType} keys do not sign tokens`);
}

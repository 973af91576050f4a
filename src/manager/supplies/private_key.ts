import { type SigningAlgorithm, SigningError } from "../../controllers/mod.ts";

/** A private key for signing only. */
export interface PrivateKey {
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Not extractable. By supported algorithm. */
  readonly keys: ReadonlyMap<SigningAlgorithm, CryptoKey>;
}

const RSA = "RSASSA-PKCS1-v1_5";
/** WebCrypto's parameters for each algorithm. */
export const ALGORITHMS: Readonly<
  Record<SigningAlgorithm, { readonly name: string; readonly hash: string; readonly namedCurve?: string }>
> = {
  RS256: { name: RSA, hash: "SHA-256" },
  RS384: { name: RSA, hash: "SHA-384" },
  RS512: { name: RSA, hash: "SHA-512" },
  ES256: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
  ES384: { name: "ECDSA", hash: "SHA-384", namedCurve: "P-384" },
  ES512: { name: "ECDSA", hash: "SHA-512", namedCurve: "P-521" },
};

const BLOCK = /-----BEGIN ((?:EC |RSA )?PRIVATE KEY)-----([^-]*)-----END/g;
const ENCODINGS = { "EC PRIVATE KEY": "sec1", "RSA PRIVATE KEY": "pkcs1", "PRIVATE KEY": "pkcs8" } as const;

/**
 * Reads the first RSA or ECDSA key in PEM, in PKCS#1, PKCS#8 or SEC1.
 *
 * Upstream: `PrivateKeyFromFile` of `k8s.io/client-go/util/keyutil`.
 *
 * @throws {SigningError} If there is none.
 */
export async function readPrivateKey(pem: string): Promise<PrivateKey> {
  for (const [, label, body] of pem.matchAll(BLOCK)) {
    const key = await keyOf(ENCODINGS[label as keyof typeof ENCODINGS], body).catch(() => undefined);
    if (key) return key;
  }
  throw new SigningError("data does not contain a valid RSA or ECDSA private key");
}

async function keyOf(type: "sec1" | "pkcs1" | "pkcs8", body: string): Promise<PrivateKey | undefined> {
  const { createPrivateKey, createPublicKey } = await import("node:crypto");
  const { Buffer } = await import("node:buffer");
  const key = createPrivateKey({ key: Buffer.from(body, "base64"), format: "der", type });
  const open = createPublicKey(key);
  const { kty, crv } = open.export({ format: "jwk" });
  const fitting = Object.entries(ALGORITHMS).filter(([, { name, namedCurve }]) =>
    kty === "RSA" ? name === RSA : kty === "EC" && namedCurve === crv
  );
  if (fitting.length === 0) return undefined;
  const pkcs8 = new Uint8Array(key.export({ format: "der", type: "pkcs8" }));
  const keys = await Promise.all(fitting.map(async ([algorithm, how]) => {
    return [
      algorithm as SigningAlgorithm,
      await crypto.subtle.importKey("pkcs8", pkcs8, how, false, ["sign"]),
    ] as const;
  }));
  return { publicKey: new Uint8Array(open.export({ format: "der", type: "spki" })), keys: new Map(keys) };
}

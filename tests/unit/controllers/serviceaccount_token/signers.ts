import { type ControllerSigner, SigningError } from "../../../../src/controllers/mod.ts";

/** A key, and what signs with it. */
export interface TestKey {
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly verify: CryptoKey;
  readonly sign: CryptoKey;
  readonly how: EcdsaParams | Algorithm;
  readonly algorithm: string;
}

const CURVES = { "P-256": ["ES256", "SHA-256"], "P-384": ["ES384", "SHA-384"], "P-521": ["ES512", "SHA-512"] } as const;

export async function newKey(kind: "RSA" | keyof typeof CURVES): Promise<TestKey> {
  const isRsa = kind === "RSA";
  const [algorithm, hash] = isRsa ? ["RS256", "SHA-256"] : CURVES[kind];
  const how = isRsa ? { name: "RSASSA-PKCS1-v1_5" } : { name: "ECDSA", hash };
  const parameters = isRsa
    ? { ...how, hash, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
    : { ...how, namedCurve: kind };
  const pair = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]) as CryptoKeyPair;
  return {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
    verify: pair.publicKey,
    sign: pair.privateKey,
    how,
    algorithm,
  };
}

/** Signs with the key that `present` gives, as the main thread does. */
export function signerWith(present: () => TestKey): ControllerSigner {
  return {
    publicKey: () => Promise.resolve(present().publicKey),
    sign: async (_flag, algorithm, data) => {
      const { how, sign, publicKey, algorithm: own } = present();
      if (algorithm !== own) throw new SigningError(`it signs by ${own}`);
      return { signature: new Uint8Array(await crypto.subtle.sign(how, sign, data)), publicKey };
    },
  };
}

export async function signerOf(kind: Parameters<typeof newKey>[0]): Promise<ControllerSigner> {
  const key = await newKey(kind);
  return signerWith(() => key);
}

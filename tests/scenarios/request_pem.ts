/** Requests for certificates as clients make them, with a library that kubeloop does not use for them. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHMS = {
  "P-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  RSA: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
} as const;

export interface RequestParts {
  /** In order; each is a set of its own. */
  readonly subject?: readonly (readonly [attribute: string, value: string])[];
  readonly names?: readonly { readonly type: "dns" | "ip" | "email" | "url"; readonly value: string }[];
  readonly key?: keyof typeof ALGORITHMS;
  readonly extensions?: readonly x509.Extension[];
}

const keys = new Map<string, Promise<CryptoKeyPair>>();

function keysOf(key: keyof typeof ALGORITHMS): Promise<CryptoKeyPair> {
  let pair = keys.get(key);
  if (!pair) {
    pair = crypto.subtle.generateKey(ALGORITHMS[key], true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
    keys.set(key, pair);
  }
  return pair;
}

/** A PKCS#10 request in PEM. */
export async function requestPem(
  { subject = [], names = [], key = "P-256", extensions = [] }: RequestParts = {},
): Promise<string> {
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject.map(([attribute, value]) => ({ [attribute]: [value] })),
    keys: await keysOf(key),
    signingAlgorithm: ALGORITHMS[key],
    extensions: [
      ...names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : [],
      ...extensions,
    ],
  });
  return request.toString("pem") + "\n";
}

export type Subject = NonNullable<RequestParts["subject"]>;

/** The subject of a kubelet. */
export const kubelet = (name: string): Subject => [["O", "system:nodes"], ["CN", `system:node:${name}`]];

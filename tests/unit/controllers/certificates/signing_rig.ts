/** An authority for tests, and requests as the API server keeps them. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { CertificateSigningRequest } from "../../../../src/api/mod.ts";
import type { Supplies } from "../../../../src/controllers/mod.ts";

const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface TestAuthority {
  readonly pem: string;
  readonly keys: CryptoKeyPair;
}

/** @param validForMs From the wall clock of a FakeWorld or of now, as `nowMs` says. */
export async function testAuthority(
  { nowMs = Date.now(), validForMs = 10 * 365 * 86_400_000, name = "test-ca" }: {
    nowMs?: number;
    validForMs?: number;
    name?: string;
  } = {},
): Promise<TestAuthority> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: `CN=${name}`,
    notBefore: new Date(nowMs - 3_600_000),
    notAfter: new Date(nowMs + validForMs),
    signingAlgorithm: CURVE,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { pem: certificate.toString("pem") + "\n", keys };
}

/** The authority's key in PEM. */
export async function keyPem({ keys }: TestAuthority): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY") + "\n";
}

/** Files and a signer that hold one authority at a time. */
export class TestSupplies implements Pick<Supplies, "files" | "signer"> {
  cert: string;
  keys: CryptoKeyPair;

  constructor({ pem, keys }: TestAuthority) {
    this.cert = pem;
    this.keys = keys;
  }

  readonly files: Supplies["files"] = {
    text: () => this.cert,
    onChange: () => ({ [Symbol.dispose]: () => {} }),
  };

  readonly signer: Supplies["signer"] = {
    publicKey: () => this.#publicKey(),
    sign: async (_flag, _algorithm, data) => ({
      signature: new Uint8Array(await crypto.subtle.sign(CURVE, this.keys.privateKey, data)),
      publicKey: await this.#publicKey(),
    }),
  };

  async #publicKey(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await crypto.subtle.exportKey("spki", this.keys.publicKey));
  }
}

const APPROVED = { type: "Approved", status: "True" };

export interface ObjectParts {
  readonly pem: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly username?: string;
  readonly expirationSeconds?: number;
  readonly conditions?: NonNullable<CertificateSigningRequest["status"]>["conditions"];
  readonly certificate?: string;
}

/** A request as the API server keeps it, approved unless told otherwise. */
export function requestObject(
  { pem, signerName, usages, username, expirationSeconds, conditions = [APPROVED], certificate }: ObjectParts,
): CertificateSigningRequest {
  return {
    metadata: { name: "r", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { request: btoa(pem), signerName, usages: [...usages], username, expirationSeconds },
    status: { conditions, certificate },
  };
}

/** The certificate in an object's status, as a library reads it that did not write it. */
export function certificateOf({ status }: CertificateSigningRequest): x509.X509Certificate {
  return new x509.X509Certificate(atob(status?.certificate ?? ""));
}

/** Certificates and keys of one test control plane, made anew for each. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that signs for one control plane. */
export class Authority {
  readonly #certificate: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;
  #serial = 1;

  private constructor(certificate: x509.X509Certificate, keys: CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static create(name = "kubeloop-test-ca"): Promise<Authority> {
    return Authority.#of(name);
  }

  /** One that this one vouches for. */
  subordinate(name: string): Promise<Authority> {
    return Authority.#of(name, this);
  }

  static async #of(name: string, signer?: Authority): Promise<Authority> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: "01",
      subject: `CN=${name}`,
      issuer: signer ? signer.#certificate.subject : `CN=${name}`,
      ...validity(),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: (signer ? signer.#keys : keys).privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new Authority(certificate, keys);
  }

  /** The authority's certificate in PEM. */
  get cert(): string {
    return this.#certificate.toString("pem") + "\n";
  }

  /** The authority's private key in PEM. */
  key(): Promise<string> {
    return pem("PRIVATE KEY", "pkcs8", this.#keys.privateKey);
  }

  /** A serving certificate for these names and addresses. */
  serving(names: readonly string[], addresses: readonly string[]): Promise<KeyPair> {
    const alternatives = [
      ...names.map((value) => ({ type: "dns" as const, value })),
      ...addresses.map((value) => ({ type: "ip" as const, value })),
    ];
    return this.#issue(`CN=${names[0]}`, x509.ExtendedKeyUsage.serverAuth, {
      extra: [new x509.SubjectAlternativeNameExtension(alternatives)],
    });
  }

  /** A client certificate: `user` becomes CN, `groups` become O. `validForMs` may be negative: an expired one. */
  client(user: string, groups: readonly string[] = [], { validForMs }: { validForMs?: number } = {}): Promise<KeyPair> {
    const name = [...groups.map((group) => `O=${group}`), `CN=${user}`].join(", ");
    return this.#issue(name, x509.ExtendedKeyUsage.clientAuth, { validForMs });
  }

  async #issue(
    subject: string,
    usage: x509.ExtendedKeyUsage,
    { extra = [], validForMs }: { extra?: x509.Extension[]; validForMs?: number },
  ): Promise<KeyPair> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: (++this.#serial).toString(16).padStart(4, "0"),
      subject,
      issuer: this.#certificate.subject,
      ...validity(validForMs),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        ...extra,
      ],
    });
    return { cert: certificate.toString("pem") + "\n", key: await pem("PRIVATE KEY", "pkcs8", keys.privateKey) };
  }
}

/** The RSA key pair that signs service-account tokens. */
export async function serviceAccountKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const keys = await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
    true,
    ["sign", "verify"],
  );
  return {
    privateKey: await pem("PRIVATE KEY", "pkcs8", keys.privateKey),
    publicKey: await pem("PUBLIC KEY", "spki", keys.publicKey),
  };
}

async function pem(label: string, format: "pkcs8" | "spki", key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey(format, key), label) + "\n";
}

function validity(validForMs = 24 * 3_600_000): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(Math.min(now, now + validForMs) - 3_600_000), notAfter: new Date(now + validForMs) };
}

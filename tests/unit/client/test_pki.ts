/** Certificates for tests of TLS. */
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const NOT_BEFORE = new Date("2020-01-01T00:00:00Z");
const NOT_AFTER = new Date("2049-01-01T00:00:00Z");

/** A certificate with its key, as PEM text. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that lasts for one test run. */
export class TestAuthority {
  readonly cert: string;
  readonly #name: string;
  readonly #keys: CryptoKeyPair;
  #serial = 1;

  private constructor(name: string, keys: CryptoKeyPair, cert: string) {
    this.#name = name;
    this.#keys = keys;
    this.cert = cert;
  }

  static async create(name = "CN=test-ca"): Promise<TestAuthority> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: "01",
      name,
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      ],
    });
    return new TestAuthority(name, keys, certificate.toString("pem"));
  }

  /** A server's certificate for names and addresses. */
  server(names: readonly string[], addresses: readonly string[] = []): Promise<Pair> {
    return this.#issue("CN=server", ExtendedKeyUsage.serverAuth, [
      ...names.map((value) => ({ type: "dns" as const, value })),
      ...addresses.map((value) => ({ type: "ip" as const, value })),
    ]);
  }

  /** A client's certificate. */
  client(subject = "CN=admin, O=system:masters"): Promise<Pair> {
    return this.#issue(subject, ExtendedKeyUsage.clientAuth, []);
  }

  async #issue(
    subject: string,
    usage: ExtendedKeyUsage,
    names: { readonly type: "dns" | "ip"; readonly value: string }[],
  ): Promise<Pair> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.create({
      serialNumber: (++this.#serial).toString(16).padStart(2, "0"),
      subject,
      issuer: this.#name,
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([usage]),
        ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      ],
    });
    const key = PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
    return { cert: certificate.toString("pem"), key };
  }
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

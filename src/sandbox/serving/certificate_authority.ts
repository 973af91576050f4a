import type { World } from "../../base/mod.ts";
import type { Facts } from "../storage/mod.ts";

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const CERTIFICATE_FACT = "certificate-authority";
const KEY_FACT = "certificate-authority-key";
/** The algorithm of all keys of an embedded cluster. */
export const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/**
 * Signs the certificates of an embedded cluster: its server's and its clients'.
 *
 * Contract:
 * 1. `of` gives the same authority for the same facts, so that a kubeconfig stays valid when a server with data starts
 *    again.
 * 2. Certificates are valid for a year, starting an hour ago.
 */
export class CertificateAuthority {
  /** Its certificate and key, for a controller that signs certificate requests. */
  readonly pair: KeyPair;
  readonly #world: World;

  private constructor(world: World, pair: KeyPair) {
    this.#world = world;
    this.pair = pair;
  }

  /**
   * The authority in `facts`, or a new one, which is stored there.
   *
   * @param facts A backend's facts; without them the authority is not kept.
   */
  static async of(world: World, facts?: Facts): Promise<CertificateAuthority> {
    const cert = facts?.readFact(CERTIFICATE_FACT);
    const key = facts?.readFact(KEY_FACT);
    if (cert !== undefined && key !== undefined) return new CertificateAuthority(world, { cert, key });
    const pair = await selfSigned(world);
    facts?.writeFact(KEY_FACT, pair.key);
    facts?.writeFact(CERTIFICATE_FACT, pair.cert);
    return new CertificateAuthority(world, pair);
  }

  /** The certificate in PEM, with which clients verify the server. */
  get cert(): string {
    return this.pair.cert;
  }

  /** A certificate for a server with these names and addresses. */
  async serving(names: readonly string[], addresses: readonly string[]): Promise<KeyPair> {
    const x509 = await loadX509();
    const alternatives = [
      ...names.map((value) => ({ type: "dns" as const, value })),
      ...addresses.map((value) => ({ type: "ip" as const, value })),
    ];
    return await this.#issue([{ CN: ["kube-apiserver"] }], [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
    ]);
  }

  /** A client certificate for `user` in these groups. */
  async client(user: string, groups: readonly string[] = []): Promise<KeyPair> {
    const x509 = await loadX509();
    const subject = [...groups.map((group) => ({ O: [group] })), { CN: [user] }];
    return await this.#issue(subject, [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]);
  }

  async #issue(subject: Array<Record<string, string[]>>, extensions: Extension[]): Promise<KeyPair> {
    const x509 = await loadX509();
    const keys = await generatedKeys();
    const issuer = new x509.X509Certificate(this.pair.cert);
    const [encoded] = x509.PemConverter.decode(this.pair.key);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(this.#world),
      subject,
      issuer: issuer.subject,
      ...validity(this.#world, YEAR_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: await crypto.subtle.importKey("pkcs8", encoded, ALGORITHM, false, ["sign"]),
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
    });
    return { cert: certificate.toString("pem") + "\n", key: await privateKeyText(keys) };
  }
}

type X509 = typeof import("@peculiar/x509");
type Extension = InstanceType<X509["Extension"]>;

/** Loaded on demand: it is large, and most servers have no certificates. */
export async function loadX509(): Promise<X509> {
  // It must be loaded after the reflection metadata.
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

async function selfSigned(world: World): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generatedKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(world),
    name: "CN=kubeloop-ca",
    ...validity(world, 10 * YEAR_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificate.toString("pem") + "\n", key: await privateKeyText(keys) };
}

/** @peculiar/x509 would otherwise read the clock itself. */
function validity({ clock }: World, forMs: number): { notBefore: Date; notAfter: Date } {
  const nowMs = clock.wallMs();
  return { notBefore: new Date(nowMs - HOUR_MS), notAfter: new Date(nowMs + forMs) };
}

function serialNumber({ random }: World): string {
  // Serial numbers must be positive, so the highest bit must not be set.
  return `1${random.uuid().replaceAll("-", "").slice(0, 17)}`;
}

function generatedKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

async function privateKeyText({ privateKey }: CryptoKeyPair): Promise<string> {
  const { PemConverter } = await loadX509();
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", privateKey), "PRIVATE KEY") + "\n";
}

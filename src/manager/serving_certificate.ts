// @peculiar/x509 needs the reflection metadata before it is loaded.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { CertificateAndKey, World } from "../base/mod.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const ALGORITHM = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};
const USAGES = x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment;

/**
 * A certificate for the manager's endpoint, of an authority made for it alone, whose key is thrown away: for `localhost`,
 * 127.0.0.1 and the address it binds to, from an hour ago for a year.
 *
 * @returns The certificate followed by its authority's, and its key.
 * Upstream: `k8s.io/client-go/util/cert` (GenerateSelfSignedCertKey).
 */
export async function selfSignedCertificate(world: World, bindAddress: string): Promise<CertificateAndKey> {
  const nowMs = world.clock.wallMs();
  const stamp = Math.floor(nowMs / 1000);
  const validity = { notBefore: new Date(nowMs - HOUR_MS), notAfter: new Date(nowMs - HOUR_MS + YEAR_MS) };
  const serialNumber = () => Math.floor(world.random.float() * 2 ** 48).toString(16).padStart(12, "0");
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=localhost-ca@${stamp}`,
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(USAGES | x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const addresses = new Set(["127.0.0.1", ...(["0.0.0.0", "::"].includes(bindAddress) ? [] : [bindAddress])]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=localhost@${stamp}`,
    issuer: authority.subject,
    ...validity,
    signingAlgorithm: ALGORITHM,
    signingKey: caKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(USAGES, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        ...[...addresses].map((value) => ({ type: "ip" as const, value })),
      ]),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    cert: `${certificate.toString("pem")}\n${authority.toString("pem")}\n`,
    key: `${x509.PemConverter.encode(key, "PRIVATE KEY")}\n`,
  };
}

function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

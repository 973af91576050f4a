// @peculiar/x509 needs the reflection metadata before it is loaded.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { World } from "../base/mod.ts";

/** A certificate chain and its key, in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;

/**
 * A self-signed certificate for the manager's endpoint, valid for a year: `localhost`, 127.0.0.1 and the address it binds to.
 * Upstream: `k8s.io/client-go/util/cert` (GenerateSelfSignedCertKey).
 */
export async function selfSignedCertificate(world: World, bindAddress: string): Promise<ServingCertificate> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const nowMs = world.clock.wallMs();
  const addresses = new Set(["127.0.0.1", ...(["0.0.0.0", "::"].includes(bindAddress) ? [] : [bindAddress])]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: Math.floor(world.random.float() * 2 ** 48).toString(16).padStart(12, "0"),
    name: `CN=localhost@${Math.floor(nowMs / 1000)}`,
    notBefore: new Date(nowMs - 3_600_000),
    notAfter: new Date(nowMs + 365 * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        ...[...addresses].map((value) => ({ type: "ip" as const, value })),
      ]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(key, "PRIVATE KEY") };
}

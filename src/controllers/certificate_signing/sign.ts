import type { CertificateSigningRequest } from "../../api/mod.ts";
import type { Random } from "../../base/mod.ts";
import {
  type CertificateRequest,
  certificateToSign,
  pemText,
  signedCertificate,
  verifyRequest,
} from "../../x509/mod.ts";
import type { SigningContext } from "./context.ts";
import { lifetimeMs, validityOf } from "./lifetime.ts";
import { usagesOf } from "./usages.ts";

const SERIAL_BYTES = 16;

/**
 * Makes the requested certificate, in PEM.
 *
 * Upstream: `pkg/controller/certificates/authority/authority.go`.
 *
 * @throws {Error} If the request was not signed with its own key, names unknown usages, or signing is impossible now.
 */
export async function sign(
  { subject, publicKey, names, signed }: CertificateRequest,
  { usages = [], expirationSeconds }: NonNullable<CertificateSigningRequest["spec"]>,
  { authority, world, longestMs }: Pick<SigningContext, "authority" | "world" | "longestMs">,
): Promise<string> {
  const current = await authority.current();
  const { certificate: issuer, algorithm } = current;
  try {
    verifyRequest({ subject, publicKey, names, signed });
  } catch (error) {
    throw new Error(`unable to verify certificate request signature: ${(error as Error).message}`, { cause: error });
  }
  const toSign = certificateToSign({
    serial: serialNumber(world.random),
    issuer,
    subject,
    publicKey,
    names,
    ...usagesOf(usages),
    ...validityOf({
      nowMs: world.clock.wallMs(),
      livesMs: lifetimeMs(expirationSeconds, longestMs),
      authorityEndMs: issuer.notAfterMs,
    }),
  }, algorithm);
  const bytes = signedCertificate(toSign, algorithm, await authority.sign(current, toSign));
  return pemText({ type: "CERTIFICATE", bytes });
}

/** 128 random bits: the digits of two UUIDs without their version and variant digits. */
function serialNumber(random: Random): Uint8Array {
  const digits = [random.uuid(), random.uuid()].map((uuid) => uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24))
    .join("");
  return Uint8Array.from({ length: SERIAL_BYTES }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

import { type AlternativeNames, alternativeNamesBytes } from "./alternative_names.ts";
import { type Bytes, TAG } from "./der_reader.ts";
import { bitString, bytesOf, compareBytes, der, natural, octetString, oid, sequence, time } from "./der_writer.ts";
import type { Certificate } from "./certificate.ts";
import { type DistinguishedName, nameBytes } from "./distinguished_name.ts";
import { OID } from "./identifiers.ts";
import { type PublicKey, publicKeyBytes } from "./public_key.ts";

/** How a certificate is signed, by its JWS name. */
export type IssuingAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

const IDENTIFIERS: Readonly<Record<IssuingAlgorithm, Bytes>> = {
  RS256: sequence(oid("2a864886f70d01010b"), bytesOf("0500")),
  ES256: sequence(oid("2a8648ce3d040302")),
  ES384: sequence(oid("2a8648ce3d040303")),
  ES512: sequence(oid("2a8648ce3d040304")),
};

/** The contents of a certificate to issue. */
export interface CertificateTemplate {
  /** The serial number, in big-endian order. */
  readonly serial: Uint8Array;
  readonly issuer: Certificate;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly subject: DistinguishedName;
  readonly publicKey: PublicKey;
  readonly names: AlternativeNames;
  /** Bits 0 to 8 of the extension. */
  readonly keyUsage: readonly number[];
  /** In hexadecimal digits. */
  readonly extendedKeyUsage: readonly string[];
}

/**
 * The signed part of a certificate that is not an authority's.
 *
 * Upstream: `crypto/x509` (CreateCertificate).
 *
 * @throws {MalformedError} For a public key of an unknown kind.
 */
export function certificateToSign(template: CertificateTemplate, algorithm: IssuingAlgorithm): Bytes {
  const subject = nameBytes(template.subject);
  return sequence(
    der(TAG.context(0), natural(new Uint8Array([2]))),
    natural(template.serial),
    IDENTIFIERS[algorithm],
    template.issuer.subject,
    sequence(time(template.notBeforeMs), time(template.notAfterMs)),
    subject,
    publicKeyBytes(template.publicKey),
    der(TAG.context(3), sequence(...extensionsOf(template, subject))),
  );
}

/**
 * The certificate.
 *
 * @param signature For ECDSA, r and s concatenated.
 */
export function signedCertificate(toSign: Bytes, algorithm: IssuingAlgorithm, signature: Uint8Array): Bytes {
  const half = signature.length / 2;
  const value = algorithm === "RS256"
    ? signature
    : sequence(natural(signature.subarray(0, half)), natural(signature.subarray(half)));
  return sequence(toSign, IDENTIFIERS[algorithm], bitString(value));
}

function extensionsOf(template: CertificateTemplate, subject: Bytes): Bytes[] {
  const { keyUsage, extendedKeyUsage, issuer, names } = template;
  const found: Bytes[] = [];
  if (keyUsage.length > 0) found.push(extension(OID.keyUsage, flags(keyUsage), "critical"));
  if (extendedKeyUsage.length > 0) found.push(extension(OID.extendedKeyUsage, sequence(...extendedKeyUsage.map(oid))));
  found.push(extension(OID.basicConstraints, sequence(), "critical"));
  const { subjectKeyIdentifier } = issuer;
  if (subjectKeyIdentifier?.length && compareBytes(issuer.subject, subject) !== 0) {
    const identifier = der(TAG.contextPrimitive(0), subjectKeyIdentifier);
    found.push(extension(OID.authorityKeyIdentifier, sequence(identifier)));
  }
  const alternatives = alternativeNamesBytes(names);
  const isNameless = subject.length === sequence().length;
  if (alternatives) found.push(extension(OID.alternativeNames, alternatives, isNameless ? "critical" : undefined));
  return found;
}

function extension(id: string, value: Bytes, critical?: "critical"): Bytes {
  return sequence(oid(id), ...critical ? [bytesOf("0101ff")] : [], octetString(value));
}

/** A bit string with these bits, without zeros at its end. */
function flags(bits: readonly number[]): Bytes {
  const highest = Math.max(...bits);
  const bytes = new Uint8Array(2 + (highest >> 3));
  bytes[0] = 7 - (highest & 7);
  for (const bit of bits) bytes[1 + (bit >> 3)] |= 0x80 >> (bit & 7);
  return der(TAG.bitString, bytes);
}

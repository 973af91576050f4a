import { encodeBase64 } from "@std/encoding/base64";
import type { CertificateAndKey } from "../../https/mod.ts";
import type { World } from "../../base/mod.ts";
import { bits, identifier, integer, octets, sequence, set, tagged, text, time, yes } from "./der.ts";
import { addressOctets } from "./address_octets.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = sequence(identifier("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
const DIGITAL_SIGNATURE = Uint8Array.of(0b1000_0000);
const DIGITAL_SIGNATURE_AND_CERTIFICATES = Uint8Array.of(0b1000_0100);

/** The content of a certificate. */
interface Statement {
  readonly subject: Uint8Array;
  readonly subjectKey: CryptoKey;
  readonly issuer: Uint8Array;
  readonly issuerKey: CryptoKey;
  readonly validity: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly extensions: readonly Uint8Array[];
}

/**
 * A certificate for the manager's endpoint, signed by an authority created for it alone, whose key is discarded. It
 * covers `localhost`, 127.0.0.1 and the bind address, and is valid from an hour ago for a year.
 *
 * It is encoded here instead of by a library, and its keys are P-256 instead of upstream's RSA: each would double the
 * half second that a start takes, and the library uses 13 MiB.
 *
 * @returns The certificate followed by its authority's, and its key.
 * Upstream: `k8s.io/client-go/util/cert` (GenerateSelfSignedCertKey).
 */
export async function selfSignedCertificate(world: World, bindAddress: string): Promise<CertificateAndKey> {
  const nowMs = world.clock.wallMs();
  const stamp = Math.floor(nowMs / 1000);
  const validity = sequence(time(nowMs - HOUR_MS), time(nowMs - HOUR_MS + YEAR_MS));
  const [authorityKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const authorityId = await keyId(authorityKeys.publicKey);
  const issuer = { issuer: commonName(`localhost-ca@${stamp}`), issuerKey: authorityKeys.privateKey, validity };
  const authority = await signed({
    ...issuer,
    serialNumber: serialNumber(world),
    subject: issuer.issuer,
    subjectKey: authorityKeys.publicKey,
    extensions: [
      extension("2.5.29.19", sequence(yes()), { isCritical: true }),
      extension("2.5.29.15", bits(DIGITAL_SIGNATURE_AND_CERTIFICATES, 2), { isCritical: true }),
      extension("2.5.29.14", octets(authorityId)),
    ],
  });
  const addresses = new Set(["127.0.0.1", ...(["0.0.0.0", "::"].includes(bindAddress) ? [] : [bindAddress])]);
  const certificate = await signed({
    ...issuer,
    serialNumber: serialNumber(world),
    subject: commonName(`localhost@${stamp}`),
    subjectKey: keys.publicKey,
    extensions: [
      extension("2.5.29.19", sequence(), { isCritical: true }),
      extension("2.5.29.15", bits(DIGITAL_SIGNATURE, 7), { isCritical: true }),
      extension("2.5.29.37", sequence(identifier("1.3.6.1.5.5.7.3.1"))), // for servers
      extension("2.5.29.35", sequence(tagged(0x80, authorityId))),
      extension("2.5.29.17", alternativeNames([...addresses])),
    ],
  });
  const key = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { cert: pem("CERTIFICATE", certificate) + pem("CERTIFICATE", authority), key: pem("PRIVATE KEY", key) };
}

function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]);
}

async function signed(
  { subject, subjectKey, issuer, issuerKey, validity, serialNumber, extensions }: Statement,
): Promise<Uint8Array> {
  const version3 = tagged(0xa0, integer(Uint8Array.of(2)));
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("spki", subjectKey));
  const listed = tagged(0xa3, sequence(...extensions));
  const statement = sequence(version3, serialNumber, SIGNATURE, issuer, validity, subject, publicKey, listed);
  const halves = new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, issuerKey, statement));
  const half = halves.length / 2;
  return sequence(
    statement,
    SIGNATURE,
    bits(sequence(integer(halves.subarray(0, half)), integer(halves.subarray(half)))),
  );
}

function commonName(name: string): Uint8Array {
  return sequence(set(sequence(identifier("2.5.4.3"), text(name))));
}

function extension(id: string, content: Uint8Array, { isCritical = false } = {}): Uint8Array {
  return sequence(identifier(id), ...isCritical ? [yes()] : [], octets(content));
}

function alternativeNames(addresses: readonly string[]): Uint8Array {
  const localhost = tagged(0x82, new TextEncoder().encode("localhost"));
  return sequence(localhost, ...addresses.map((address) => tagged(0x87, addressOctets(address))));
}

async function keyId(key: CryptoKey): Promise<Uint8Array> {
  const raw = await crypto.subtle.exportKey("raw", key);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", raw)).subarray(0, 20);
}

/** Positive and unpredictable. */
function serialNumber({ random }: World): Uint8Array {
  return integer(Uint8Array.from([1, ...Array.from({ length: 15 }, () => Math.floor(random.float() * 256))]));
}

function pem(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).replace(/.{64}(?!$)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

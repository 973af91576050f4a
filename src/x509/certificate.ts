import { readExtension } from "./certificate_request.ts";
import { type Bytes, DerReader, MalformedError, TAG } from "./der_reader.ts";
import { OID } from "./identifiers.ts";
import { pemBlocks } from "./pem.ts";

/** What is known of a certificate. */
export interface Certificate {
  /** In DER, as those that it issues name it. */
  readonly subject: Bytes;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Bytes;
  /** By the wall clock, in milliseconds. */
  readonly notAfterMs: number;
  readonly subjectKeyIdentifier?: Bytes;
}

/**
 * The certificates among the PEM blocks of a text. Other blocks, and those with headers, are passed over.
 *
 * Upstream: `k8s.io/client-go/util/cert` (ParseCertsPEM).
 *
 * @throws {MalformedError} If there is none, or one that cannot be read.
 */
export function readCertificates(pem: string): Certificate[] {
  const blocks = [...pemBlocks(pem)].filter(({ type }) => type === "CERTIFICATE");
  const found = blocks.flatMap(({ bytes }) => certificatesIn(bytes));
  if (found.length === 0) throw new MalformedError("data does not contain any valid RSA or ECDSA certificates");
  return found;
}

/** Certificates one behind the other, in DER. @throws {MalformedError} */
export function certificatesIn(bytes: Bytes): Certificate[] {
  const list = new DerReader(bytes, "the certificate");
  const found: Certificate[] = [];
  while (!list.isEmpty) found.push(readCertificate(list.inside(TAG.sequence)));
  return found;
}

function readCertificate(parts: DerReader): Certificate {
  const body = parts.inside(TAG.sequence);
  parts.inside(TAG.sequence).oid();
  parts.bits();
  parts.end();
  if (body.hasNext(TAG.context(0))) body.any();
  body.element(TAG.integer);
  body.element(TAG.sequence);
  body.element(TAG.sequence);
  const validity = body.inside(TAG.sequence);
  readTime(validity);
  const notAfterMs = readTime(validity);
  const subject = body.element(TAG.sequence).whole;
  const publicKey = body.element(TAG.sequence).whole;
  return { subject, publicKey, notAfterMs, subjectKeyIdentifier: keyIdentifierIn(body) };
}

function keyIdentifierIn(body: DerReader): Bytes | undefined {
  while (!body.isEmpty && !body.hasNext(TAG.context(3))) body.any();
  if (body.isEmpty) return undefined;
  const extensions = body.inside(TAG.context(3)).inside(TAG.sequence);
  while (!extensions.isEmpty) {
    const { id, value } = readExtension(extensions);
    if (id === OID.subjectKeyIdentifier) return new DerReader(value, "the key identifier").body(TAG.octetString);
  }
  return undefined;
}

function readTime(validity: DerReader): number {
  const { tag, body } = validity.any();
  const digits = new TextDecoder().decode(body);
  const isShort = tag === TAG.utcTime;
  const [, year, ...rest] =
    (isShort ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/)
      .exec(digits) ?? [];
  if (year === undefined || (!isShort && tag !== TAG.generalizedTime)) {
    throw new MalformedError("the certificate is malformed: a time cannot be read");
  }
  const [month, day, hour, minute, second] = rest.map(Number);
  const century = isShort ? (Number(year) < 50 ? 2000 : 1900) : 0;
  return Date.UTC(century + Number(year), month - 1, day, hour, minute, second);
}

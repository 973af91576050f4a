import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./alternative_names.ts";
import { readExtension } from "./certificate_request.ts";
import { type Bytes, DerReader, hexOf, MalformedError, TAG } from "./der_reader.ts";
import { OID } from "./identifiers.ts";
import { pemBlocks } from "./pem.ts";

/** The parts of a certificate that are read. */
export interface Certificate {
  /** In DER, as in the certificates that it issues. */
  readonly subject: Bytes;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Bytes;
  /** By the wall clock, in milliseconds. */
  readonly notAfterMs: number;
  readonly notBeforeMs: number;
  readonly subjectKeyIdentifier?: Bytes;
  /** Whether it may sign other certificates. */
  readonly isAuthority: boolean;
  readonly names: AlternativeNames;
}

/**
 * The certificates among the PEM blocks of a text. Other blocks, and those with headers, are skipped.
 *
 * Upstream: `k8s.io/client-go/util/cert` (ParseCertsPEM).
 *
 * @throws {MalformedError} If there is none, or one is malformed.
 */
export function readCertificates(pem: string): Certificate[] {
  const blocks = [...pemBlocks(pem)].filter(({ type, hasHeaders }) => type === "CERTIFICATE" && !hasHeaders);
  const found = blocks.flatMap(({ bytes }) => certificatesIn(bytes));
  if (found.length === 0) throw new MalformedError("data does not contain any valid RSA or ECDSA certificates");
  return found;
}

/**
 * Concatenated certificates, in DER.
 * @throws {MalformedError}
 */
export function certificatesIn(bytes: Bytes): Certificate[] {
  const list = new DerReader(bytes, "the certificate");
  const found: Certificate[] = [];
  while (!list.isEmpty) found.push(readCertificate(list.inside(TAG.sequence)));
  return found;
}

function readCertificate(parts: DerReader): Certificate {
  const body = parts.inside(TAG.sequence);
  const outer = parts.element(TAG.sequence).whole;
  parts.bits();
  parts.end();
  if (body.hasNext(TAG.context(0))) body.any();
  body.element(TAG.integer);
  const inner = body.element(TAG.sequence).whole;
  if (hexOf(inner) !== hexOf(outer)) {
    throw new MalformedError("x509: inner and outer signature algorithm identifiers don't match");
  }
  body.element(TAG.sequence);
  const validity = body.inside(TAG.sequence);
  const notBeforeMs = readTime(validity);
  const notAfterMs = readTime(validity);
  const subject = body.element(TAG.sequence).whole;
  const publicKey = body.element(TAG.sequence).whole;
  return { subject, publicKey, notBeforeMs, notAfterMs, ...readExtensions(body) };
}

function readExtensions(body: DerReader): Pick<Certificate, "subjectKeyIdentifier" | "isAuthority" | "names"> {
  const found = new Map<string, Bytes>();
  while (!body.isEmpty && !body.hasNext(TAG.context(3))) body.any();
  const extensions = body.isEmpty ? undefined : body.inside(TAG.context(3)).inside(TAG.sequence);
  while (extensions && !extensions.isEmpty) {
    const { id, value } = readExtension(extensions);
    if (found.has(id)) throw new MalformedError("x509: certificate contains duplicate extensions");
    found.set(id, value);
  }
  const [key, constraints, names] = [OID.subjectKeyIdentifier, OID.basicConstraints, OID.alternativeNames]
    .map((id) => found.get(id));
  return {
    subjectKeyIdentifier: key && new DerReader(key, "the key identifier").body(TAG.octetString),
    isAuthority: constraints !== undefined && saysAuthority(constraints),
    names: names ? readAlternativeNames(names) : NO_NAMES,
  };
}

function saysAuthority(value: Bytes): boolean {
  const constraints = new DerReader(value, "the basic constraints").inside(TAG.sequence);
  return constraints.hasNext(TAG.boolean) && constraints.any().body[0] === 0xff;
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

import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./alternative_names.ts";
import { type Bytes, DerReader, MalformedError, TAG } from "./der_reader.ts";
import { type DistinguishedName, readName } from "./distinguished_name.ts";
import { OID } from "./identifiers.ts";
import { pemBlocks } from "./pem.ts";
import { type PublicKey, readPublicKey } from "./public_key.ts";
import { readSignatureAlgorithm, type Signed, verifySignature } from "./signature.ts";

/** The parts of a PKCS#10 request that go into a certificate. */
export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly publicKey: PublicKey;
  readonly names: AlternativeNames;
  /** Not verified yet: see {@link verifyRequest}. */
  readonly signed: Signed;
}

/**
 * Reads the first PEM block of a text as a request.
 *
 * Upstream: `pkg/apis/certificates/helpers.go` (ParseCSR), `crypto/x509` (ParseCertificateRequest).
 *
 * @throws {MalformedError} If it is not a certificate request.
 */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem).take(1);
  if (block?.type !== "CERTIFICATE REQUEST") throw new MalformedError("PEM block type must be CERTIFICATE REQUEST");
  return readRequestBytes(block.bytes);
}

/** As {@link readCertificateRequest}, in DER. @throws {MalformedError} */
export function readRequestBytes(bytes: Bytes): CertificateRequest {
  const whole = new DerReader(bytes, "the certificate request");
  const parts = whole.inside(TAG.sequence);
  whole.end();
  const { whole: signed, body } = parts.element(TAG.sequence);
  const algorithm = readSignatureAlgorithm(parts.inside(TAG.sequence, "the signature algorithm"));
  const signature = parts.bits();
  return { ...readInfo(body), signed: { algorithm, signed, signature } };
}

/**
 * Verifies that the request was signed with its own key.
 * @throws {Error} With Go's message.
 */
export function verifyRequest({ publicKey, signed }: CertificateRequest): void {
  verifySignature(publicKey, signed);
}

function readInfo(body: Bytes): Omit<CertificateRequest, "signed"> {
  const info = new DerReader(body, "the certificate request");
  info.element(TAG.integer);
  const subject = readName(info.element(TAG.sequence).whole);
  const publicKey = readPublicKey(info.element(TAG.sequence).whole);
  const names = readRequestedNames(info.inside(TAG.context(0), "the list of attributes"));
  return { subject, publicKey, names };
}

/** The alternative names among the requested extensions, the only ones that go into a certificate. */
function readRequestedNames(attributes: DerReader): AlternativeNames {
  const seen = new Set<string>();
  let names = NO_NAMES;
  while (!attributes.isEmpty) {
    const list = requestedExtensions(attributes.element(TAG.sequence).body);
    while (list && !list.isEmpty) {
      const { id, value } = readExtension(list);
      if (seen.has(id)) {
        throw new MalformedError("x509: certificate request contains duplicate requested extensions");
      }
      seen.add(id);
      if (id === OID.alternativeNames) names = readAlternativeNames(value);
    }
  }
  return names;
}

/** The extensions in an attribute; none if it is of another kind or malformed, as in Go. */
function requestedExtensions(attribute: Bytes): DerReader | undefined {
  let extensions: Bytes;
  try {
    const parts = new DerReader(attribute, "an attribute");
    if (parts.oid() !== OID.extensionRequest) return undefined;
    extensions = parts.inside(TAG.set).any().whole;
  } catch {
    return undefined;
  }
  return new DerReader(extensions, "the list of requested extensions").inside(TAG.sequence);
}

/** One extension. @throws {MalformedError} */
export function readExtension(list: DerReader): { readonly id: string; readonly value: Bytes } {
  const extension = list.inside(TAG.sequence);
  const id = extension.oid();
  if (extension.hasNext(TAG.boolean)) extension.any();
  return { id, value: extension.body(TAG.octetString) };
}

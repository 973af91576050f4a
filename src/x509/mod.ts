/** X.509: certificates and requests for them, as Go reads and writes them. */
export { type Certificate, certificatesIn, readCertificates } from "./certificate.ts";
export {
  type CertificateRequest,
  readCertificateRequest,
  readRequestBytes,
  verifyRequest,
} from "./certificate_request.ts";
export { commonNameOf } from "./distinguished_name.ts";
export { certificateToSign, type IssuingAlgorithm, signedCertificate } from "./issue.ts";
export { hexOf, MalformedError } from "./der_reader.ts";
export { type PemBlock, pemBlocks, pemText } from "./pem.ts";
export { type PublicKey, publicKeyBytes, readPublicKey } from "./public_key.ts";
export { isProofOfPossession } from "./possession.ts";
export { digestOf } from "./rsa.ts";

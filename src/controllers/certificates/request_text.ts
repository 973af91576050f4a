import type { CertificateSigningRequest } from "../../api/mod.ts";
import { type CertificateRequest, MalformedError, readCertificateRequest } from "../../x509/mod.ts";

/**
 * The PKCS#10 request in an object.
 *
 * @throws {MalformedError} If it is missing or malformed.
 */
export function certificateRequestIn({ metadata, spec }: CertificateSigningRequest): CertificateRequest {
  try {
    return readCertificateRequest(atob(spec?.request ?? ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : "it is not base64";
    throw new MalformedError(`unable to parse csr ${JSON.stringify(metadata?.name)}: ${why}`, { cause: error });
  }
}

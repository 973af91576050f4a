import { AUTHENTICATED, CREDENTIAL_ID, type User } from "../access/mod.ts";

/** A certificate that a client has shown. */
export interface ClientCertificate {
  /**
   * Whether it is valid, and of the authority that this server believes: whoever accepted the connection has checked.
   */
  readonly isVerified: boolean;
  /** The subject's CN. */
  readonly commonName: string;
  /** The subject's O, each of them. */
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

/**
 * Who has a certificate that was verified; nobody if it names nobody. Upstream:
 * `apiserver/pkg/authentication/request/x509`.
 */
export function userOfCertificate(
  { commonName, organizations, fingerprint }: ClientCertificate,
): User | undefined {
  if (commonName === "") return undefined;
  return {
    username: commonName,
    groups: organizations.includes(AUTHENTICATED) ? organizations : [...organizations, AUTHENTICATED],
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}

import { AUTHENTICATED, CREDENTIAL_ID, type User } from "../access/mod.ts";

/** A client's certificate. */
export interface ClientCertificate {
  /**
   * Whether it is valid and signed by an authority that this server trusts; checked by whoever accepted the connection.
   */
  readonly isVerified: boolean;
  /** The subject's CN. */
  readonly commonName: string;
  /** Every O of the subject. */
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

/** The user of a verified certificate with a common name. Upstream: `apiserver/pkg/authentication/request/x509`. */
export function userOfCertificate({ commonName, organizations, fingerprint }: ClientCertificate): User | undefined {
  if (commonName === "") return undefined;
  return {
    username: commonName,
    groups: organizations.includes(AUTHENTICATED) ? organizations : [...organizations, AUTHENTICATED],
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}

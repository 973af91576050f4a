/** What a TLS connection is made with; certificates and keys as PEM text. */
export interface TlsSettings {
  /** Trusted besides the platform's roots. */
  readonly ca?: string;
  /** With `key`: the client certificate and what leads to its authority. */
  readonly cert?: string;
  readonly key?: string;
  /** Name asked for and verified, if it is not the address's. */
  readonly serverName?: string;
  /** The server's certificate is not verified at all. */
  readonly insecure?: boolean;
}

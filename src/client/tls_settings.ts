/** Settings of a TLS connection; certificates and keys as PEM text. */
export interface TlsSettings {
  /** Trusted in addition to the platform's roots. */
  readonly ca?: string;
  /** With `key`: the client certificate and its intermediates. */
  readonly cert?: string;
  readonly key?: string;
  /** The name to request and verify, if not the address. */
  readonly serverName?: string;
  /** The server's certificate is not verified at all. */
  readonly insecure?: boolean;
}

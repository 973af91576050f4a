/** TLS settings for servers other than the API server; everything in PEM. */
export interface FetchTls {
  /** Authorities to trust in addition to the runtime's. */
  readonly authorities?: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * Sends requests to servers other than the API server, over separate connections. Redirects are returned, not followed:
 * a request's credentials are meant for one server.
 *
 * @throws {TypeError} If there is a certificate without a key, or a key without a certificate.
 */
export function fetchTransport({ authorities = [], certificate: cert, key }: FetchTls = {}): (
  request: Request,
) => Promise<Response> {
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError("Cannot show a client certificate: both the certificate and its key are needed");
  }
  const caCerts = [...authorities];
  const client = Deno.createHttpClient(cert === undefined || key === undefined ? { caCerts } : { caCerts, cert, key });
  return (request) => fetch(request, { client, redirect: "manual" });
}

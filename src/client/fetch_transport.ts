/** What a connection to a server that is no API server is made with; everything in PEM. */
export interface FetchTls {
  /** Authorities besides those that the runtime trusts. */
  readonly authorities?: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * A way to send requests to servers other than the API server, with connections of its own. Redirections are answered as they are:
 * what a request carries is for one server.
 *
 * @throws {TypeError} If there is a certificate without its key, or the other way round.
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

import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { sourceOf } from "./source_address.ts";

/** The request line as it was sent: a `Request` normalises paths and cannot be a TRACE. */
export interface Asked {
  readonly method: string;
  /** The whole target, unchanged. */
  readonly target: string;
  /** Its path, unescaped: see {@link requestPath}. */
  readonly path: string;
}

/** The client of a request's connection. */
export interface Peer {
  readonly address: string;
  /** The sender for rate limits; see {@link sourceOf}. */
  readonly source: string;
  readonly asked: Asked;
  /**
   * The certificate it presented, in DER. The handshake only proved that the client has the certificate's key; the
   * receiver must verify who signed it. The array is the same for all requests of a connection.
   */
  readonly certificate?: Uint8Array<ArrayBuffer>;
  /** The other certificates that it sent, in order and in DER: the first four, at most 8 KiB in total. */
  readonly intermediates: () => readonly Uint8Array<ArrayBuffer>[];
  /** All values of a header as sent: `fetch`'s headers join them with commas, which values may also contain. */
  headerValues(name: string): readonly string[];
  /** Names of the sent headers, in lower case, each once. */
  readonly headerNames: readonly string[];
}

/** The sender of a request. */
export function peerOf(message: IncomingMessage, asked: Asked): Peer {
  const socket = message.socket as Partial<TLSSocket>;
  return {
    address: `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`,
    source: sourceOf(socket.remoteAddress ?? ""),
    asked,
    certificate: certificateOf(socket),
    intermediates: () => intermediatesOf(socket),
    headerNames: Object.keys(message.headers),
    headerValues: (name) =>
      message.rawHeaders.filter((_, i) => i % 2 === 1 && message.rawHeaders[i - 1].toLowerCase() === name),
  };
}

/** Reading one takes up to two milliseconds, which is done once per connection. */
const certificates = new WeakMap<Partial<TLSSocket>, Uint8Array<ArrayBuffer> | undefined>();

function certificateOf(socket: Partial<TLSSocket>): Peer["certificate"] {
  if (!certificates.has(socket)) {
    // A runtime that cannot request certificates lacks this method.
    const raw = socket.getPeerCertificate?.()?.raw;
    certificates.set(socket, raw && new Uint8Array(raw));
  }
  return certificates.get(socket);
}

/**
 * Certificates with a hundred groups take half of this. A handshake has room for 64 KiB, with which a stranger could
 * occupy certificate verification for 130 ms.
 */
const MAX_CERTIFICATE_BYTES = 8 << 10;

/** Whether the client's certificate, if any, is small enough to process. */
export function hasModestCertificate(socket: TLSSocket): boolean {
  return (certificateOf(socket)?.length ?? 0) <= MAX_CERTIFICATE_BYTES;
}

/**
 * Real chains have one or two. Strangers may send as many as fit in a handshake, and each takes a millisecond to parse.
 */
const MAX_INTERMEDIATES = 4;

/** Node links the sent certificates in sequence, and a self-signed last one to itself. */
function intermediatesOf(socket: Partial<TLSSocket>): Uint8Array<ArrayBuffer>[] {
  const sent: Uint8Array<ArrayBuffer>[] = [];
  let left = MAX_CERTIFICATE_BYTES;
  let last = socket.getPeerCertificate?.(true);
  while (sent.length < MAX_INTERMEDIATES && last?.issuerCertificate && last.issuerCertificate !== last) {
    last = last.issuerCertificate as typeof last;
    left -= last.raw.length;
    if (left < 0) break;
    sent.push(new Uint8Array(last.raw));
  }
  return sent;
}

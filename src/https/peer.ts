import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { sourceOf } from "./source_address.ts";

/** What a client asked for, as it was sent: a `Request` tidies paths up, and none can be a TRACE. */
export interface Asked {
  readonly method: string;
  /** The whole target, as it was written. */
  readonly target: string;
  /** Its path, unescaped: see {@link requestPath}. */
  readonly path: string;
}

/** Who is at the other end of a request's connection. */
export interface Peer {
  readonly address: string;
  /** What counts as one sender: see {@link sourceOf}. */
  readonly source: string;
  readonly asked: Asked;
  /**
   * The certificate it presented, in DER. The handshake has proved that it holds the certificate's key, and nothing else:
   * who signed it is for the receiver to find out. For all requests of a connection it is the same array.
   */
  readonly certificate?: Uint8Array<ArrayBuffer>;
  /** What else it sent, in order and in DER: certificates of those who may have signed its own; the first four of them, 8 KiB in all. */
  readonly intermediates: () => readonly Uint8Array<ArrayBuffer>[];
  /** Every value of a header as it was sent: `fetch`'s headers join them by commas that cannot be told from their own. */
  headerValues(name: string): readonly string[];
  /** Names of the headers that were sent, in lower case, each once. */
  readonly headerNames: readonly string[];
}

/** Who sent a request. */
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

/** Reading one takes up to two milliseconds, which a connection pays once. */
const certificates = new WeakMap<Partial<TLSSocket>, Uint8Array<ArrayBuffer> | undefined>();

function certificateOf(socket: Partial<TLSSocket>): Peer["certificate"] {
  if (!certificates.has(socket)) {
    // A runtime that cannot ask for certificates has no such method.
    const raw = socket.getPeerCertificate?.()?.raw;
    certificates.set(socket, raw && new Uint8Array(raw));
  }
  return certificates.get(socket);
}

/**
 * Certificates with a hundred groups take half of it. A handshake has room for 64 KiB, with which a stranger could keep whoever
 * judges certificates busy for 130 ms.
 */
const MAX_CERTIFICATE_BYTES = 8 << 10;

/** Whether the certificate that a client presented, if any, is one to look at. */
export function hasModestCertificate(socket: TLSSocket): boolean {
  return (certificateOf(socket)?.length ?? 0) <= MAX_CERTIFICATE_BYTES;
}

/** Real chains have one or two. Strangers may send as many as fit a handshake, and each takes a millisecond to read. */
const MAX_INTERMEDIATES = 4;

/** Node links what was sent one after the other, and the last one to itself if it signed itself. */
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

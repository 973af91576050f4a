import net from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { ConnectionError } from "../connection_error.ts";
import type { TlsSettings } from "../tls_settings.ts";
import { CONNECT_TIMEOUT_MS, type DialAttempt, HANDSHAKE_TIMEOUT_MS, within } from "./dial_attempt.ts";
import { NodeSocket } from "./node_socket.ts";
import { askProxy, proxyAddress } from "./proxy_handshake.ts";
import type { Socket } from "./socket.ts";

/** An attempt to open a connection that Deno's own TLS cannot make. */
export interface NodeDialAttempt extends DialAttempt {
  /** Absent for plain HTTP. */
  readonly settings?: TlsSettings;
  readonly proxyUrl?: string;
}

/**
 * Opens a connection with `node:tls`, which is slower than Deno's own and which sends no client certificate before Deno
 * 2.9.
 *
 * @throws {ConnectionError} If the certificate could not be sent.
 */
export async function dialByNode(attempt: NodeDialAttempt): Promise<Socket> {
  const { hostname, settings, proxyUrl } = attempt;
  if (settings?.cert) assertSendsClientCertificates();
  const tunnel = proxyUrl === undefined ? undefined : await openTunnel(attempt, new URL(proxyUrl));
  if (!settings) return new NodeSocket(tunnel!); // without TLS only a proxy leads here
  const { ca, cert, key, insecure, serverName = hostname } = settings;
  const stream = tls.connect({
    ...(tunnel ? { socket: tunnel } : { port: attempt.port }),
    host: hostname,
    servername: net.isIP(serverName) ? "" : serverName, // addresses are never sent as SNI
    ...(ca === undefined ? {} : { ca }),
    ...(cert !== undefined && key !== undefined ? { cert, key } : {}),
    // Without a name in SNI, the stream would verify the certificate against the dialled address.
    ...(net.isIP(serverName) && serverName !== hostname
      ? { checkServerIdentity: (_: string, peer: tls.PeerCertificate) => tls.checkServerIdentity(serverName, peer) }
      : {}),
    rejectUnauthorized: !insecure,
    ALPNProtocols: ["http/1.1"],
  });
  const timeoutMs = tunnel ? HANDSHAKE_TIMEOUT_MS : CONNECT_TIMEOUT_MS + HANDSHAKE_TIMEOUT_MS;
  return await opened(stream, { event: "secureConnect", attempt, timeoutMs, what: "TLS handshake" });
}

async function openTunnel(attempt: NodeDialAttempt, proxy: URL): Promise<Duplex> {
  const isTls = proxy.protocol === "https:";
  const { hostname: host, port } = proxyAddress(proxy);
  const stream = isTls
    ? tls.connect({ host, port, servername: net.isIP(host) ? "" : host, ca: attempt.settings?.ca })
    : net.connect({ host, port });
  const event = isTls ? "secureConnect" : "connect";
  const socket = await opened(stream, { event, attempt, timeoutMs: CONNECT_TIMEOUT_MS, what: "proxy i/o" });
  const { clock, signal } = attempt;
  const shaken = askProxy(socket, proxy, attempt).then(() => socket);
  try {
    await within(shaken, { clock, signal, timeoutMs: CONNECT_TIMEOUT_MS, what: "proxy handshake" });
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket.detach();
}

interface Opening {
  readonly event: "connect" | "secureConnect";
  readonly attempt: DialAttempt;
  readonly timeoutMs: number;
  readonly what: string;
}

async function opened(stream: Duplex, { event, attempt, timeoutMs, what }: Opening): Promise<NodeSocket> {
  const { clock, signal } = attempt;
  const { promise, resolve, reject } = Promise.withResolvers<NodeSocket>();
  const onError = (error: Error) => reject(asConnectionError(error));
  const onClose = () => reject(new ConnectionError("eof", "EOF"));
  stream.once(event, () => resolve(new NodeSocket(stream))).once("error", onError).once("close", onClose);
  try {
    return await within(promise, { clock, signal, timeoutMs, what });
  } catch (error) {
    stream.on("error", () => {}); // may fail once more while it is torn down
    stream.destroy();
    throw error;
  } finally {
    stream.off("error", onError).off("close", onClose);
  }
}

function asConnectionError(error: Error & { code?: unknown }): Error {
  const isVerification = /CERT|VERIFY|ALTNAME|SIGNATURE/.test(String(error.code)) || /certificate/i.test(error.message);
  return isVerification ? new ConnectionError("tls", error.message, { cause: error }) : error;
}

function assertSendsClientCertificates(): void {
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 9)) return;
  throw new ConnectionError(
    "tls",
    "cannot send a client certificate together with tls-server-name, insecure-skip-tls-verify or a proxy: " +
      `needs Deno 2.9 or newer, this is ${Deno.version.deno}; use a token, or the name of the server's certificate`,
  );
}

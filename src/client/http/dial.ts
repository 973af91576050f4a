import type { Clock } from "../../base/mod.ts";
import { ConnectionError, connectionFailureOf } from "../connection_error.ts";
import type { TlsSettings } from "../tls_settings.ts";
import {
  closeQuietly,
  CONNECT_TIMEOUT_MS,
  type DialAttempt,
  HANDSHAKE_TIMEOUT_MS,
  type Limits,
  within,
} from "./dial_attempt.ts";
import { askProxy, proxyAddress } from "./proxy_handshake.ts";
import type { Dial, Socket } from "./socket.ts";

/** Asked before each connection is opened. */
export type TlsSource = () => TlsSettings | Promise<TlsSettings>;

/** What to connect to, and how. */
export interface DialerOptions {
  readonly clock: Clock;
  readonly url: URL;
  readonly tls?: TlsSource;
  readonly proxyUrl?: string;
}

/** Opens connections to one server. */
export function dialer({ clock, url, tls, proxyUrl }: DialerOptions): Dial {
  const isTls = url.protocol === "https:";
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (isTls ? 443 : 80);
  return async (signal) => {
    const settings = isTls ? await tls?.() ?? {} : undefined;
    const attempt = { clock, hostname, port, signal };
    try {
      if (needsNode({ hostname, settings, proxyUrl })) {
        // Loaded on demand, because most processes never need it.
        const { dialByNode } = await import("./node_dial.ts");
        return await dialByNode({ ...attempt, settings, proxyUrl });
      }
      const { serverName = hostname } = settings ?? {};
      // connectTls waits for a delayed acknowledgement in each handshake and offers no setNoDelay beforehand; but
      // startTls takes no client certificate, and node:tls uses half as much processor time again. Neither of Deno's
      // resumes sessions.
      if (settings?.cert && !proxyUrl && serverName === hostname) return await dialTls(attempt, settings);
      const plain = proxyUrl ? await dialProxy(attempt, new URL(proxyUrl)) : await dialPlain(attempt);
      return settings ? await startTls(plain, { attempt, ca: settings.ca, serverName }) : plain;
    } catch (error) {
      throw signal?.aborted ? signal.reason : named(error, `${hostname}:${port}`);
    }
  };
}

/**
 * Deno's own TLS sends client certificates only to the dialled address, always verifies, and cannot run inside another
 * TLS connection.
 */
function needsNode(
  { hostname, settings, proxyUrl }: {
    readonly hostname: string;
    readonly settings?: TlsSettings;
    readonly proxyUrl?: string;
  },
): boolean {
  const { insecure, cert, serverName = hostname } = settings ?? {};
  const isElsewhere = proxyUrl !== undefined || serverName !== hostname;
  return Boolean(insecure) || (cert !== undefined && isElsewhere) || (proxyUrl?.startsWith("https:") ?? false);
}

async function dialPlain({ clock, hostname, port, signal }: DialAttempt): Promise<Deno.TcpConn> {
  const connecting = Deno.connect({ hostname, port });
  const connection = await within(connecting, { clock, signal, timeoutMs: CONNECT_TIMEOUT_MS, what: "i/o" });
  connection.setNoDelay(true);
  connection.setKeepAlive(true);
  return connection;
}

async function dialProxy(attempt: DialAttempt, proxy: URL): Promise<Deno.TcpConn> {
  const { clock, signal } = attempt;
  const connection = await dialPlain({ clock, signal, ...proxyAddress(proxy) });
  return await handshaken(connection, {
    handshake: askProxy(connection, proxy, attempt),
    limits: { clock, signal, timeoutMs: CONNECT_TIMEOUT_MS, what: "proxy handshake" },
  });
}

async function dialTls({ clock, hostname, port, signal }: DialAttempt, settings: TlsSettings): Promise<Socket> {
  const { ca, cert, key } = settings;
  const pair = cert !== undefined && key !== undefined ? { cert, key } : {};
  const options = { hostname, port, caCerts: ca ? [ca] : [], alpnProtocols: ["http/1.1"], ...pair };
  const connecting = Deno.connectTls(options);
  const connection = await within(connecting, { clock, signal, timeoutMs: CONNECT_TIMEOUT_MS, what: "i/o" });
  return await handshaken(connection, {
    handshake: connection.handshake(),
    limits: { clock, signal, timeoutMs: HANDSHAKE_TIMEOUT_MS, what: "TLS handshake" },
  });
}

async function startTls(
  plain: Deno.TcpConn,
  { attempt, ca, serverName }: { readonly attempt: DialAttempt; readonly ca?: string; readonly serverName: string },
): Promise<Socket> {
  const { clock, signal } = attempt;
  const connection = await Deno.startTls(plain, {
    hostname: serverName,
    caCerts: ca ? [ca] : [],
    alpnProtocols: ["http/1.1"],
  });
  return await handshaken(connection, {
    handshake: connection.handshake(),
    limits: { clock, signal, timeoutMs: HANDSHAKE_TIMEOUT_MS, what: "TLS handshake" },
  });
}

/** Returns the connection after a successful handshake; closes it otherwise. */
async function handshaken<T extends Socket>(
  connection: T,
  { handshake, limits }: { readonly handshake: Promise<unknown>; readonly limits: Limits },
): Promise<T> {
  try {
    return await within(handshake.then(() => connection), limits);
  } catch (error) {
    closeQuietly(connection);
    throw error;
  }
}

function named(error: unknown, address: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof ConnectionError) {
    return new ConnectionError(error.failure, `dial tcp ${address}: ${error.message}`, { cause: error });
  }
  const isCertificate = error instanceof Deno.errors.InvalidData || /certificate|TLS|handshake/i.test(error.message);
  const failure = connectionFailureOf(error) ?? (isCertificate ? "tls" : "other");
  const words = failure === "refused" ? "connect: connection refused" : error.message;
  return new ConnectionError(failure, `dial tcp ${address}: ${words}`, { cause: error });
}

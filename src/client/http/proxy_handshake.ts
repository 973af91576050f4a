import { encodeBase64 } from "@std/encoding/base64";
import { ConnectionError } from "../connection_error.ts";
import { parseHead } from "./response_head.ts";
import { type Socket, writeAll } from "./socket.ts";

/** Where a proxy is to connect to. */
export interface ProxyTarget {
  readonly hostname: string;
  readonly port: number;
}

const MAX_HEAD_BYTES = 8192;
const encoder = new TextEncoder();

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "socks5:": 1080,
  "socks5h:": 1080,
};

/**
 * Where a proxy listens.
 *
 * @throws {TypeError} If its scheme is unknown.
 */
export function proxyAddress(proxy: URL): ProxyTarget {
  const port = Number(proxy.port) || DEFAULT_PORTS[proxy.protocol];
  if (port === undefined) throw new TypeError(`Cannot use proxy ${proxy}: its scheme must be http, https or socks5`);
  return { hostname: proxy.hostname.replace(/^\[|\]$/g, ""), port };
}

/** Asks the proxy at the other end of `socket` to connect it to `target`. */
export function askProxy(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  const ask = proxy.protocol.startsWith("socks5") ? connectThroughSocks5 : connectThroughHttp;
  return ask(socket, proxy, target);
}

/** Asks an HTTP proxy for a tunnel; user and password of the proxy's URL are sent as basic auth. */
async function connectThroughHttp(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  const authority = `${target.hostname.includes(":") ? `[${target.hostname}]` : target.hostname}:${target.port}`;
  let request = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n`;
  if (proxy.username) request += `Proxy-Authorization: Basic ${encodeBase64(credentials(proxy).join(":"))}\r\n`;
  await writeAll(socket, encoder.encode(`${request}\r\n`));
  const bytes: number[] = [];
  // Byte by byte: what follows the head belongs to the tunnel.
  while (!(bytes.at(-1) === 10 && bytes.at(-2) === 13 && bytes.at(-3) === 10 && bytes.at(-4) === 13)) {
    if (bytes.length >= MAX_HEAD_BYTES) throw refused(proxy, "its answer is too long");
    bytes.push((await readExactly(socket, 1))[0]);
  }
  const { status } = parseHead(new Uint8Array(bytes));
  if (status < 200 || status > 299) throw refused(proxy, `it answered with code ${status}`);
}

const SOCKS_ERRORS: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/** Asks a SOCKS 5 proxy for a connection; the proxy resolves the name. RFC 1928, with passwords by RFC 1929. */
async function connectThroughSocks5(socket: Socket, proxy: URL, target: ProxyTarget): Promise<void> {
  const withPassword = proxy.username !== "";
  await writeAll(socket, new Uint8Array(withPassword ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await readExactly(socket, 2);
  if (version !== 5 || (method !== 0 && !(method === 2 && withPassword))) {
    throw refused(proxy, "it accepts none of our ways to authenticate");
  }
  if (method === 2) {
    const [user, password] = credentials(proxy).map((text) => encoder.encode(text));
    if (user.length > 255 || password.length > 255) throw refused(proxy, "user and password may have 255 bytes each");
    await writeAll(socket, new Uint8Array([1, user.length, ...user, password.length, ...password]));
    const [, status] = await readExactly(socket, 2);
    if (status !== 0) throw refused(proxy, "it does not accept the password");
  }
  const name = encoder.encode(target.hostname);
  if (name.length > 255) throw refused(proxy, "the server's name is longer than 255 bytes");
  await writeAll(socket, new Uint8Array([5, 1, 0, 3, name.length, ...name, target.port >> 8, target.port & 255]));
  const [, reply, , addressType] = await readExactly(socket, 4);
  if (reply !== 0) throw refused(proxy, SOCKS_ERRORS[reply] ?? `error ${reply}`);
  const addressBytes = addressType === 1 ? 4 : addressType === 4 ? 16 : (await readExactly(socket, 1))[0];
  await readExactly(socket, addressBytes + 2);
}

async function readExactly(socket: Socket, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = await socket.read(bytes.subarray(at));
    if (read === null) throw new ConnectionError("eof", "the proxy closed the connection");
    at += read;
  }
  return bytes;
}

function credentials(proxy: URL): [user: string, password: string] {
  return [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
}

function refused(proxy: URL, why: string): ConnectionError {
  return new ConnectionError("other", `proxy ${proxy.protocol}//${proxy.host} refused the connection: ${why}`);
}

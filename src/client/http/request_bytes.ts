import { concat } from "@std/bytes/concat";
import type { WireRequest } from "../transport.ts";

const encoder = new TextEncoder();
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/;
/** Text beyond ASCII goes out as UTF-8, as upstream sends it. */
const UNSAFE_VALUE = /[^\t\x20-\x7e\x80-\u{10ffff}]/u;
const UNSAFE_TARGET = /[^\x21-\x7e]/;

/**
 * A request in HTTP/1.1 format, ready for one write.
 *
 * @throws {TypeError} If the path or a header contains line breaks or control characters, which could inject headers.
 */
export function requestBytes(request: WireRequest, { host, path }: { host: string; path: string }): Uint8Array {
  if (!TOKEN.test(request.method) || UNSAFE_TARGET.test(path)) {
    throw new TypeError(`Cannot send ${JSON.stringify(`${request.method} ${path}`)}: not allowed in a request line`);
  }
  let head = `${request.method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  for (const name in request.headers) {
    const value = request.headers[name];
    if (typeof value === "string") head += headerLine(name, value);
    else for (const one of value) head += headerLine(name, one);
  }
  const { body, method } = request;
  if (body === undefined) {
    const isBodyExpected = method === "POST" || method === "PUT" || method === "PATCH";
    return encoder.encode(isBodyExpected ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`);
  }
  const payload = encoder.encode(body);
  return concat([encoder.encode(`${head}content-length: ${payload.length}\r\n\r\n`), payload]);
}

function headerLine(name: string, value: string): string {
  if (!TOKEN.test(name) || UNSAFE_VALUE.test(value)) {
    throw new TypeError(
      `Cannot send header ${JSON.stringify(name)}: its name or value holds a character not allowed there`,
    );
  }
  return `${name}: ${value}\r\n`;
}

import { ConnectionError } from "../connection_error.ts";

/** The first part of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Values by name in lower case, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly isHttp10: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n\0]*)?$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?![ \t])([^\r\n\0]*)$/;
const TRAILING_SPACE = /(?<![ \t])[ \t]+$/;

/** Where the head in `buffer[start, end)` ends, blank line included; -1 if it does not end there. */
export function findHeadEnd(buffer: Uint8Array, start: number, end: number): number {
  for (let at = buffer.indexOf(LF, start); at >= 0 && at < end; at = buffer.indexOf(LF, at + 1)) {
    if (at - start >= 3 && buffer[at - 1] === CR && buffer[at - 2] === LF && buffer[at - 3] === CR) return at + 1;
  }
  return -1;
}

const CR = 13;
const LF = 10;
const latin1 = new TextDecoder("latin1");

/**
 * Parses a head, blank line included. Strict: refuses folded lines, bare newlines, lines without a colon and names that
 * are not tokens, because such a peer may disagree with us about the body's length.
 *
 * @throws {ConnectionError} Failure `protocol`.
 */
export function parseHead(bytes: Uint8Array): ResponseHead {
  const lines = latin1.decode(bytes.subarray(0, bytes.length - 4)).split("\r\n");
  const status = STATUS_LINE.exec(lines[0]);
  if (!status) throw malformed("status line", lines[0]);
  const headers = new Map<string, string[]>();
  for (let i = 1; i < lines.length; i++) {
    const header = HEADER_LINE.exec(lines[i]);
    if (!header) throw malformed("header", lines[i]);
    const name = header[1].toLowerCase();
    const values = headers.get(name);
    const value = header[2].replace(TRAILING_SPACE, "");
    if (values) values.push(value);
    else headers.set(name, [value]);
  }
  return { status: Number(status[2]), headers, isHttp10: status[1] === "0" };
}

function malformed(what: string, text: string): ConnectionError {
  return new ConnectionError("protocol", `malformed HTTP ${what} ${JSON.stringify(text.slice(0, 80))}`);
}

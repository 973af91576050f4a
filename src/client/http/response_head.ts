import { ConnectionError } from "../connection_error.ts";

/** The first part of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Values by name in lower case, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly isHttp10: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What no line holds. */
const STRAY = /\0|\r(?!\n)|(?<!\r)\n/;

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
  const text = latin1.decode(bytes.subarray(0, bytes.length - 4));
  if (STRAY.test(text)) throw malformed("line", text);
  const statusEnd = lineEnd(text, 0);
  const status = STATUS_LINE.exec(text.slice(0, statusEnd));
  if (!status) throw malformed("status line", text.slice(0, statusEnd));
  const headers = new Map<string, string[]>();
  for (let at = statusEnd + 2, end; at <= text.length; at = end + 2) {
    end = lineEnd(text, at);
    const colon = text.indexOf(":", at);
    const name = colon < 0 ? undefined : lowerCaseName(text.slice(at, colon));
    if (name === undefined) throw malformed("header", text.slice(at, end));
    const value = trimmed(text, colon + 1, end);
    const values = headers.get(name);
    if (values) values.push(value);
    else headers.set(name, [value]);
  }
  return { status: Number(status[2]), headers, isHttp10: status[1] === "0" };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\r\n", start);
  return end < 0 ? text.length : end;
}

/** A server sends the same names in each response; of others, no more than so many are kept. */
const MOST_NAMES = 64;
const names = new Map<string, string>();

/** `undefined` if it is no name. */
function lowerCaseName(name: string): string | undefined {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (!NAME.test(name)) return undefined;
  const lower = name.toLowerCase();
  if (names.size < MOST_NAMES) names.set(name, lower);
  return lower;
}

/** The value in `text[start, end)` without spaces and tabs around it. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (start < end && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

function malformed(what: string, text: string): ConnectionError {
  return new ConnectionError("protocol", `malformed HTTP ${what} ${JSON.stringify(text.slice(0, 80))}`);
}

import { decodeBase64, encodeBase64 } from "@std/encoding/base64";
import type { Bytes } from "./der_reader.ts";

/** A block of PEM. */
export interface PemBlock {
  /** As in `-----BEGIN CERTIFICATE-----`. */
  readonly type: string;
  readonly bytes: Bytes;
  /** Whether lines like `Proc-Type: 4,ENCRYPTED` come before them. */
  readonly hasHeaders?: boolean;
}

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const DASHES = "-----";

/**
 * The blocks in a text, in their order. Anything else is skipped, as in Go: of several BEGIN lines before an END line
 * the last one counts.
 *
 * Upstream: `encoding/pem` (Decode).
 */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let from = 0;
  for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END, from)) {
    const begin = lineStart(text, from, end);
    const after = end + END.length;
    const block = begin < 0 ? undefined : blockBetween(text, begin, end);
    // What follows the END line may begin with its line break.
    from = block ? lineEnd(text, after) : after;
    if (block) yield block;
  }
}

/** One block, in lines of 64 characters, with a final line break. */
export function pemText({ type, bytes }: Omit<PemBlock, "hasHeaders">): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return [`${BEGIN}${type}${DASHES}`, ...lines, `-----END ${type}${DASHES}`, ""].join("\n");
}

/** Where the last BEGIN line between these places begins, or -1. */
function lineStart(text: string, from: number, end: number): number {
  const part = text.slice(from, end);
  const begin = part.lastIndexOf(BEGIN);
  if (begin < 0 || (begin > 0 && part[begin - 1] !== "\n")) return -1;
  return from + begin;
}

function blockBetween(text: string, begin: number, end: number): PemBlock | undefined {
  const firstLine = text.indexOf("\n", begin);
  const line = text.slice(begin, firstLine).trimEnd();
  const type = line.slice(BEGIN.length, -DASHES.length);
  if (line.length < BEGIN.length + DASHES.length || !line.endsWith(DASHES)) return undefined;
  const trailer = text.slice(end + END.length, lineEnd(text, end + END.length));
  if (trailer.trimEnd() !== `${type}${DASHES}`) return undefined;
  const body = text.slice(firstLine + 1, Math.max(firstLine + 1, end));
  const digits = withoutHeaders(body);
  const bytes = decoded(digits);
  return bytes && { type, bytes, ...digits.length < body.length && { hasHeaders: true } };
}

/** The lines after those with a colon. */
function withoutHeaders(body: string): string {
  let from = 0;
  for (;;) {
    const end = lineEnd(body, from);
    if (!body.slice(from, end).includes(":")) return body.slice(from);
    from = end;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end + 1;
}

function decoded(base64: string): Bytes | undefined {
  const digits = base64.replace(/[ \t\r\n]/g, "");
  if (digits.length % 4 !== 0) return undefined;
  try {
    return decodeBase64(digits);
  } catch {
    return undefined;
  }
}

import { FrameError } from "./frame.ts";
import { type KeyRule, TEXT_COUNT } from "./frame_shape.ts";

const BACKSLASH = 0x5c;

/** Longer texts are decoded with TextDecoder; for short ones, the call costs more than it saves. */
const SHORT_TEXT = 64;

/** A whole number of up to this many digits is exact as a JavaScript number. */
const EXACT_DIGITS = 15;

/** The last text of a slot, and its bytes. */
interface Memo {
  readonly bytes: Uint8Array;
  length: number;
  text: string;
}

/**
 * Reads short JSON strings from bytes. Reuses the slot's previous text if it is equal, as kinds and API versions
 * usually are.
 */
export class TextPeek {
  readonly #decoder = new TextDecoder();
  readonly #memos = Array.from({ length: TEXT_COUNT }, (): Memo => ({
    bytes: new Uint8Array(SHORT_TEXT),
    length: 0,
    text: "",
  }));

  /** The rule whose key is the string with its inside at `start` to `end`. */
  rule(rules: readonly KeyRule[], bytes: Uint8Array, start: number, end: number): KeyRule | undefined {
    for (let i = 0; i < rules.length; i++) {
      const known = rules[i].bytes;
      if (known.length === end - start && startsWith(known, bytes, start, end - start)) return rules[i];
    }
    if (!hasEscape(bytes, start, end)) return undefined;
    const name = this.#parse(bytes, start, end);
    return rules.find((rule) => rule.name === name);
  }

  /**
   * The string with its inside at `start` to `end`, for `place`.
   *
   * @throws {FrameError} If the string is not JSON.
   */
  text(place: number, bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > SHORT_TEXT) return this.#parse(bytes, start, end);
    const memo = this.#memos[place];
    if (memo.length === length && startsWith(memo.bytes, bytes, start, length)) return memo.text;
    for (let i = 0; i < length; i++) memo.bytes[i] = bytes[start + i];
    memo.length = length;
    return memo.text = digits(bytes, start, end) ?? this.#parse(bytes, start, end);
  }

  #parse(bytes: Uint8Array, start: number, end: number): string {
    try {
      return JSON.parse(this.#decoder.decode(bytes.subarray(start - 1, end + 1)));
    } catch (cause) {
      throw new FrameError("a string is not JSON", { position: start, cause });
    }
  }
}

/** Compares four bytes at a time: every text that is looked at passes through here, whether or not it is optimized yet. */
function startsWith(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const at = start + i;
    // deno-fmt-ignore
    if (known[i] !== bytes[at] || known[i + 1] !== bytes[at + 1] ||
        known[i + 2] !== bytes[at + 2] || known[i + 3] !== bytes[at + 3]) return false;
  }
  for (; i < length; i++) if (known[i] !== bytes[start + i]) return false;
  return true;
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) return true;
  return false;
}

/** The text if it is an integer in JavaScript's notation: a fast path for resourceVersions, which change most often. */
function digits(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end === start || end - start > EXACT_DIGITS || bytes[start] === 0x30) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return String(value);
}

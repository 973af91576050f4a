import { FrameError } from "./frame.ts";

// The bytes that give JSON its structure; in UTF-8 none of them is ever part of a longer character. Not exported: the
// engine builds a module's own constant into a loop, but loads an imported one each time (measured: 15 %).
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Deeper brackets are not checked for matching kinds: the parser will find mismatches. */
const CHECKED_DEPTH = 10_240;

/** Most objects nest less deep, and every watch has its own matcher. */
const USUAL_DEPTH = 64;

/** How many bytes `skip` reads without checking for the end: eight of a string, and three after it. */
const UNCHECKED_BYTES = 12;

export function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Finds the end of a string that continues at `at`.
 *
 * @returns The index of the closing quote. If the bytes run out first, the index to continue from: `end`, or the index
 *   of a trailing backslash, because it belongs to the next byte.
 */
export function stringStop(bytes: Uint8Array, at: number, end: number): number {
  for (let byte: number; at + 4 <= end; at += 4) {
    // deno-fmt-ignore
    if ((byte = bytes[at]) === QUOTE || byte === BACKSLASH || (byte = bytes[at + 1]) === QUOTE || byte === BACKSLASH ||
        (byte = bytes[at + 2]) === QUOTE || byte === BACKSLASH || (byte = bytes[at + 3]) === QUOTE || byte === BACKSLASH) break;
  }
  while (at < end) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) at++;
    else if (at + 1 < end) at += 2;
    else return at;
  }
  return at;
}

/**
 * Matches brackets.
 *
 * Contract:
 * 1. `depth` is the number of open brackets, however many; each closing one must be of the kind of the last open one,
 *    as far in as an API server nests them.
 * 2. `skip` passes over what is nested deeper than `depth`, wherever the bytes are cut.
 */
export class BracketMatcher {
  depth = 0;
  /** Outermost first. Grows with what is nested deepest. */
  #open = new Uint8Array(USUAL_DEPTH);
  #inString = false;

  open(byte: number): void {
    this.#note(byte, this.depth++);
  }

  /** @throws {FrameError} If `byte` does not close what is open. */
  close(byte: number, at: number): void {
    // In ASCII a closing bracket or brace is its opening one plus 2.
    if (this.depth === 0 || this.#open[--this.depth] + 2 !== byte) throw mismatch(byte, at);
  }

  /**
   * Continues from `at` until `depth` is down to `target`. Nearly every byte of a stream passes through here and
   * nowhere else, so the loop is optimised: an object's structure is mostly strings followed by `:"`, `,"` or `:{}`.
   *
   * @returns The index to go on from. If `depth` is still more than `target` the bytes ran out, and the index is `end`,
   * or less when the last bytes can only be understood with those that follow.
   * @throws {FrameError} If brackets do not match.
   */
  skip(bytes: Uint8Array, at: number, end: number, target: number): number {
    if (this.#inString) {
      at = stringStop(bytes, at, end);
      if (at === end || bytes[at] !== QUOTE) return at;
      this.#inString = false;
      at++;
    }
    let open = this.#open;
    const safe = end - UNCHECKED_BYTES;
    let depth = this.depth;
    scan: while (at < end) {
      let byte = bytes[at++];
      if (byte === QUOTE) {
        while (at < safe) {
          // deno-fmt-ignore
          if ((byte = bytes[at]) !== QUOTE && byte !== BACKSLASH && (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH &&
              (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH && (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH &&
              (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH && (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH &&
              (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH && (byte = bytes[++at]) !== QUOTE && byte !== BACKSLASH) {
            at++;
            continue;
          }
          if (byte === BACKSLASH) {
            at += 2;
            continue;
          }
          const next = bytes[++at];
          if (next !== COLON && next !== COMMA) continue scan;
          const behind = bytes[++at];
          if (behind === QUOTE) {
            at++;
            continue;
          }
          if (behind !== OPEN_BRACE || bytes[at + 1] !== CLOSE_BRACE) continue scan;
          at += 2;
          if (bytes[at] !== COMMA || bytes[at + 1] !== QUOTE) continue scan;
          at += 2;
        }
        at = stringStop(bytes, at, end);
        if (at === end || bytes[at] !== QUOTE) {
          this.#inString = true;
          break;
        }
        at++;
      } else if (byte < OPEN_BRACKET) continue;
      else if ((byte | 0x20) === OPEN_BRACE) { // bit 5 distinguishes braces from brackets, and nothing else
        if (depth < open.length) open[depth] = byte;
        else open = this.#note(byte, depth);
        depth++;
      } else if ((byte | 0x20) === CLOSE_BRACE) {
        if (--depth < open.length && open[depth] + 2 !== byte) throw mismatch(byte, at - 1);
        if (depth === target) break;
      }
    }
    this.depth = depth;
    return at;
  }

  /** Notes that `byte` opens a bracket within `depth` others. */
  #note(byte: number, depth: number): Uint8Array<ArrayBuffer> {
    if (depth === this.#open.length && depth < CHECKED_DEPTH) {
      const grown = new Uint8Array(Math.min(2 * depth, CHECKED_DEPTH));
      grown.set(this.#open);
      this.#open = grown;
    }
    if (depth < this.#open.length) this.#open[depth] = byte;
    return this.#open;
  }
}

function mismatch(byte: number, at: number): FrameError {
  return new FrameError(`"${String.fromCharCode(byte)}" closes what is not open`, { position: at });
}

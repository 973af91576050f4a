import { ConnectionError } from "../connection_error.ts";

/** The longest chunk-size line with extensions, and the longest trailer section, in bytes. */
const MAX_LINE = 4096;
const MAX_TRAILER = 16_384;

const CR = 13;
const LF = 10;
const SEMICOLON = 59;

type State = "size" | "extension" | "size-lf" | "data" | "data-cr" | "data-lf" | "trailer" | "trailer-lf" | "done";

/**
 * Decodes a chunked body.
 *
 * Contract:
 * 1. Any split of the input gives the same payload.
 * 2. Chunk extensions and trailers are read over, and bounded.
 * 3. Malformed input is an error: where a chunk ends is never guessed.
 * 4. After the end `done` is true, and bytes that follow are left alone.
 */
export class ChunkedDecoder {
  #state: State = "size";
  #digits = 0;
  #size = 0;
  #lineBytes = 0;
  #trailerBytes = 0;
  #trailerLineBytes = 0;

  get done(): boolean {
    return this.#state === "done";
  }

  /**
   * Decodes `buffer[start, end)` in place: the payload is moved to `start`.
   *
   * @returns Where the payload ends, and where reading stopped: at `end`, or earlier if the body ended.
   */
  decode(buffer: Uint8Array, start: number, end: number): { readonly payloadEnd: number; readonly readTo: number } {
    let at = start;
    let payloadEnd = start;
    while (at < end && this.#state !== "done") {
      if (this.#state === "data") {
        const taken = Math.min(this.#size, end - at);
        if (payloadEnd !== at) buffer.copyWithin(payloadEnd, at, at + taken);
        payloadEnd += taken;
        at += taken;
        this.#size -= taken;
        if (this.#size === 0) this.#state = "data-cr";
      } else {
        this.#byte(buffer[at++]);
      }
    }
    return { payloadEnd, readTo: at };
  }

  #byte(byte: number): void {
    switch (this.#state) {
      case "size":
        return this.#sizeByte(byte);
      case "extension":
        if (++this.#lineBytes > MAX_LINE || byte === LF) throw malformed("extension");
        if (byte === CR) this.#state = "size-lf";
        return;
      case "size-lf":
        expect(byte, LF, "size");
        this.#trailerLineBytes = 0;
        this.#state = this.#size === 0 ? "trailer" : "data";
        return;
      case "data-cr":
        expect(byte, CR, "end");
        this.#state = "data-lf";
        return;
      case "data-lf":
        expect(byte, LF, "end");
        this.#digits = this.#size = this.#lineBytes = 0;
        this.#state = "size";
        return;
      case "trailer":
        if (++this.#trailerBytes > MAX_TRAILER || byte === LF) throw malformed("trailer");
        if (byte === CR) this.#state = "trailer-lf";
        else this.#trailerLineBytes++;
        return;
      case "trailer-lf":
        expect(byte, LF, "trailer");
        this.#state = this.#trailerLineBytes === 0 ? "done" : "trailer";
        this.#trailerLineBytes = 0;
    }
  }

  #sizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      // Thirteen digits are 2^52: more than any body, and still exact.
      if (++this.#digits > 13) throw malformed("size");
      this.#size = this.#size * 16 + digit;
    } else if (this.#digits > 0 && byte === CR) this.#state = "size-lf";
    else if (this.#digits > 0 && (byte === SEMICOLON || byte === 32 || byte === 9)) this.#state = "extension";
    else throw malformed("size");
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function expect(byte: number, wanted: number, what: string): void {
  if (byte !== wanted) throw malformed(what);
}

function malformed(what: string): ConnectionError {
  return new ConnectionError("protocol", `malformed chunked encoding: bad chunk ${what}`);
}

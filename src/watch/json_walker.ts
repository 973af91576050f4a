import { FrameError } from "./frame.ts";
import { FIRST_DOCUMENT_TEXT, type KeyRule, NUMERIC_COUNT, type Shape, TEXT_COUNT } from "./frame_shape.ts";
import { BracketMatcher, isWhitespace, stringStop } from "./bracket_matcher.ts";
import { TextPeek } from "./text_peek.ts";

// Not imported: see bracket_matcher.ts.
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The document's outside: depth 0. */
const OUTSIDE: Shape = { keys: [], element: undefined, isFrame: false, isObject: false, isMetadata: false };

/**
 * Walks over JSON in pieces and extracts what a {@link Shape} describes.
 *
 * Contract:
 * 1. `walk` stops behind each frame, and where the bytes run out; the next call goes on from the returned index, in
 *    bytes that begin with everything from `keepFrom` on.
 * 2. Objects and arrays of the shape are walked key by key; everything else is only matched for brackets.
 * 3. Ranges (`objectStart` and so on) count from the frame's first byte.
 */
export class JsonWalker {
  /** Extracted texts by slot. */
  readonly texts: string[] = new Array(TEXT_COUNT).fill("");
  readonly numbers: number[] = new Array(NUMERIC_COUNT).fill(0);
  /** Where the frame now open begins; -1 when none is. */
  frameStart: number = -1;
  /** Whether the last `walk` stopped behind a frame, which begins at `frameStart`. */
  atFrameEnd = false;
  objectStart = 0;
  objectEnd = 0;
  metadataStart = 0;
  metadataEnd = 0;
  cutStart = 0;
  cutEnd = 0;
  /** How many documents have ended. */
  documents = 0;

  readonly #root: Shape;
  readonly #peek = new TextPeek();
  readonly #brackets = new BracketMatcher();
  /** The shapes being walked, outermost first; as long as brackets are open, unless something is being skipped. */
  readonly #shapes: Shape[] = [OUTSIDE];
  /** After a colon: the next value belongs to `#key`. */
  #expectsValue = false;
  #key: KeyRule | undefined;
  /** Where the key begins, counted from the frame's first byte, as is the comma before it. */
  #keyStart = 0;
  #lastComma = -1;
  /** How much of an incomplete string was already read. */
  #stringSeen = 0;

  constructor(root: Shape) {
    this.#root = root;
  }

  /** The first byte that the next `walk` needs again, given where the last one stopped. */
  keepFrom(stoppedAt: number): number {
    return this.frameStart >= 0 ? this.frameStart : stoppedAt;
  }

  /** Whether the bytes so far end outside of a document. */
  get isBetweenDocuments(): boolean {
    return this.#brackets.depth === 0;
  }

  /**
   * @returns The index to go on from.
   * @throws {FrameError} With the index of the byte at fault as its position.
   */
  walk(bytes: Uint8Array, at: number, end: number): number {
    if (this.atFrameEnd) {
      this.atFrameEnd = false;
      this.frameStart = -1;
    }
    const brackets = this.#brackets;
    while (at < end) {
      const level = this.#shapes.length - 1;
      if (brackets.depth > level) {
        at = brackets.skip(bytes, at, end, level);
        if (brackets.depth > level) return at;
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE && level > 0) {
        const stop = stringStop(bytes, at + 1 + this.#stringSeen, end);
        if (stop === end || bytes[stop] !== QUOTE) {
          this.#stringSeen = stop - at - 1;
          return at;
        }
        this.#stringSeen = 0;
        this.#string(bytes, at, stop);
        at = stop + 1;
        continue;
      }
      this.#structure(byte, at);
      at++;
      if (this.atFrameEnd) return at;
    }
    return at;
  }

  #string(bytes: Uint8Array, open: number, close: number): void {
    const shape = this.#shapes[this.#shapes.length - 1];
    if (shape.element) throw notAnObject(bytes[open], open);
    if (!this.#expectsValue) {
      this.#key = this.#peek.rule(shape.keys, bytes, open + 1, close);
      this.#keyStart = open - this.frameStart;
    } else if (this.#key && this.#key.text >= 0) {
      this.texts[this.#key.text] = this.#peek.text(this.#key.text, bytes, open + 1, close);
    }
  }

  /** Any byte outside of strings. */
  #structure(byte: number, at: number): void {
    switch (byte) {
      case COLON:
        this.#expectsValue = true;
        if (this.#key && this.#key.numeric >= 0) this.numbers[this.#key.numeric] = 0;
        break;
      case COMMA:
        this.#endValue(at, true);
        this.#expectsValue = false;
        this.#lastComma = at - this.frameStart;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        return this.#open(byte, at);
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        return this.#close(byte, at);
      default:
        if (!isWhitespace(byte)) this.#literal(byte, at);
        return;
    }
    // Only reached by a colon or a comma.
    if (this.#brackets.depth === 0) throw notBetween(byte, at);
  }

  #open(byte: number, at: number): void {
    const outer = this.#shapes[this.#shapes.length - 1];
    const isBrace = byte === OPEN_BRACE;
    let inner: Shape | undefined;
    if (outer === OUTSIDE) {
      if (!isBrace || (this.documents > 0 && !this.#root.isFrame)) throw notBetween(byte, at);
      inner = this.#root;
    } else if (outer.element) {
      if (!isBrace) throw notAnObject(byte, at);
      inner = outer.element;
    } else if (this.#expectsValue && isBrace === (this.#key?.enter?.element === undefined)) inner = this.#key?.enter;
    this.#brackets.open(byte);
    if (!inner) return;
    this.#shapes.push(inner);
    this.#key = undefined;
    this.#expectsValue = false;
    this.#lastComma = -1;
    if (inner.isFrame) this.#beginFrame(at);
    if (inner.isObject) this.objectStart = at - this.frameStart;
    if (inner.isMetadata) this.metadataStart = at - this.frameStart;
  }

  #beginFrame(at: number): void {
    this.frameStart = at;
    this.objectStart =
      this.objectEnd =
      this.metadataStart =
      this.metadataEnd =
      this.cutStart =
      this.cutEnd =
        0;
    for (let i = 0; i < FIRST_DOCUMENT_TEXT; i++) this.texts[i] = "";
  }

  #close(byte: number, at: number): void {
    if (this.#brackets.depth === 0) throw notBetween(byte, at);
    this.#endValue(at, false);
    this.#brackets.close(byte, at);
    const closed = this.#shapes.pop()!;
    if (closed.isObject) this.objectEnd = at + 1 - this.frameStart;
    if (closed.isMetadata) this.metadataEnd = at + 1 - this.frameStart;
    if (closed.isFrame) this.atFrameEnd = true;
    if (this.#brackets.depth === 0) this.documents++;
  }

  /** A value ends before `at`, where a comma or a closing bracket stands. */
  #endValue(at: number, isComma: boolean): void {
    if (this.#key?.isCut && this.#expectsValue) {
      // One comma is cut with the key: the one before it or, failing that, the one after it.
      const isFirst = this.#lastComma < 0;
      this.cutStart = isFirst ? this.#keyStart : this.#lastComma;
      this.cutEnd = at + (isFirst && isComma ? 1 : 0) - this.frameStart;
    }
    this.#key = undefined;
  }

  /** A byte of a number, `true`, `false` or `null`. */
  #literal(byte: number, at: number): void {
    const shape = this.#shapes[this.#shapes.length - 1];
    if (shape === OUTSIDE) throw notBetween(byte, at);
    if (shape.element) throw notAnObject(byte, at);
    const place = this.#expectsValue && this.#key ? this.#key.numeric : -1;
    if (place >= 0 && byte >= 0x30 && byte <= 0x39) this.numbers[place] = this.numbers[place] * 10 + byte - 0x30;
  }
}

function notBetween(byte: number, at: number): FrameError {
  return new FrameError(`${show(byte)} stands between two JSON values`, { position: at });
}

function notAnObject(byte: number, at: number): FrameError {
  return new FrameError(`${show(byte)} stands where an item must begin, which is an object`, { position: at });
}

function show(byte: number): string {
  const isPrintable = byte > 0x20 && byte < 0x7f;
  return isPrintable ? JSON.stringify(String.fromCharCode(byte)) : `byte 0x${byte.toString(16).padStart(2, "0")}`;
}

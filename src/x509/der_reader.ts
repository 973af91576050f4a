/** Bytes do not have the expected form. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}

/** The ASN.1 tags that occur in certificates. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
  /** `[0]`, `[1]` … around other elements. */
  context: (number: number) => 0xa0 | number,
  /** `[0]`, `[1]` … in place of a primitive tag. */
  contextPrimitive: (number: number) => 0x80 | number,
} as const;

export type Bytes = Uint8Array<ArrayBuffer>;

/** One element: its tag, its contents, and the whole of it. */
export interface Element {
  readonly tag: number;
  readonly body: Bytes;
  readonly whole: Bytes;
}

/**
 * Reads DER from the front: definite lengths in their shortest form, tags of one byte. Nothing is copied or read twice.
 *
 * Upstream: `golang.org/x/crypto/cryptobyte`.
 */
export class DerReader {
  readonly #bytes: Bytes;
  /** What is read, for errors: `the subject`. */
  readonly #what: string;
  #offset = 0;

  constructor(bytes: Bytes, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get isEmpty(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** Whether an element with this tag comes next. */
  hasNext(tag: number): boolean {
    return !this.isEmpty && this.#bytes[this.#offset] === tag;
  }

  /**
   * The next element, with any tag.
   * @throws {MalformedError}
   */
  any(): Element {
    const bytes = this.#bytes;
    const start = this.#offset;
    if (bytes.length - start < 2) throw this.#malformed("it ends too early");
    const tag = bytes[start];
    if ((tag & 0x1f) === 0x1f) throw this.#malformed("a tag has several bytes");
    const { length, from } = this.#length(start + 1);
    if (length > bytes.length - from) throw this.#malformed("it ends too early");
    this.#offset = from + length;
    return { tag, body: bytes.subarray(from, this.#offset), whole: bytes.subarray(start, this.#offset) };
  }

  /** The next element, which must have this tag. @throws {MalformedError} */
  element(tag: number): Element {
    const element = this.any();
    if (element.tag !== tag) throw this.#malformed(`tag ${element.tag} is in the place of tag ${tag}`);
    return element;
  }

  /**
   * The contents of the next element, which must have this tag.
   * @throws {MalformedError}
   */
  body(tag: number): Bytes {
    return this.element(tag).body;
  }

  /**
   * A reader of the next element's contents.
   * @throws {MalformedError} If it has another tag.
   */
  inside(tag: number, what = this.#what): DerReader {
    return new DerReader(this.body(tag), what);
  }

  /** An object identifier as its bytes in hexadecimal digits. @throws {MalformedError} */
  oid(): string {
    const body = this.body(TAG.oid);
    if (body.length === 0 || body[body.length - 1] & 0x80) throw this.#malformed("an object identifier is cut off");
    return hexOf(body);
  }

  /** The bytes of a bit string of whole bytes. @throws {MalformedError} */
  bits(): Bytes {
    const body = this.body(TAG.bitString);
    if (body.length === 0 || body[0] !== 0) throw this.#malformed("a bit string has no whole bytes");
    return body.subarray(1);
  }

  /**
   * The bytes of a non-negative integer, without leading zeros.
   * @throws {MalformedError}
   */
  natural(): Bytes {
    const body = this.body(TAG.integer);
    if (body.length === 0 || body[0] & 0x80) throw this.#malformed("a number is negative");
    if (body.length > 1 && body[0] === 0 && !(body[1] & 0x80)) throw this.#malformed("a number is not minimal");
    return body[0] === 0 ? body.subarray(1) : body;
  }

  /** @throws {MalformedError} If there is more. */
  end(): void {
    if (!this.isEmpty) throw this.#malformed("there is more behind it");
  }

  #length(at: number): { length: number; from: number } {
    const bytes = this.#bytes;
    const first = bytes[at];
    if (!(first & 0x80)) return { length: first, from: at + 1 };
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw this.#malformed("a length cannot be read");
    if (bytes.length - at - 1 < count) throw this.#malformed("it ends too early");
    let length = 0;
    for (let i = 1; i <= count; i++) length = length * 256 + bytes[at + i];
    if (length < 0x80 || length < 256 ** (count - 1)) throw this.#malformed("a length is not minimal");
    return { length, from: at + 1 + count };
  }

  #malformed(why: string): MalformedError {
    return new MalformedError(`${this.#what} is malformed: ${why}`);
  }
}

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16);
  return hex;
}

/** The number in these bytes, in big-endian order. */
export function bigIntOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${hexOf(bytes)}`);
}

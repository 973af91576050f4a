/** Where Go's scanner stands when a character surprises it, in its words. */
type Context = string;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ESCAPES = new Set([...'"\\/bfnrtu'].map((char) => char.charCodeAt(0)));

class SyntaxFound extends Error {}

/**
 * What Go's `encoding/json` says about bytes that are not JSON: `invalid character 'a' looking for beginning of object key string`
 * or `unexpected end of JSON input`; `undefined` for JSON. Upstream: `encoding/json/scanner.go`.
 *
 * @example
 * ```ts
 * import { jsonSyntaxError } from "./json_syntax.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const error = jsonSyntaxError(new TextEncoder().encode("{a}"));
 * assertEquals(error, "invalid character 'a' looking for beginning of object key string");
 * ```
 */
export function jsonSyntaxError(bytes: Uint8Array): string | undefined {
  try {
    new Scanner(bytes).scanDocument();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxFound) return error.message;
    throw error;
  }
}

class Scanner {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  scanDocument(): void {
    this.#value("looking for beginning of value");
    this.#skipSpace();
    if (this.#at < this.#bytes.length) this.#fail("after top-level value");
  }

  /** The byte here; -1 at the end. */
  #peek(): number {
    return this.#at < this.#bytes.length ? this.#bytes[this.#at] : -1;
  }

  #fail(context: Context, isSpaceFine = true): never {
    const byte = this.#peek();
    // At its end Go's scanner steps over one more space: what cannot take that complains about it instead of about the end.
    if (byte === -1 && isSpaceFine) throw new SyntaxFound("unexpected end of JSON input");
    throw new SyntaxFound(`invalid character ${quoted(byte === -1 ? SPACE : byte)} ${context}`);
  }

  #skipSpace(): void {
    while ([SPACE, 0x09, 0x0a, 0x0d].includes(this.#peek())) this.#at++;
  }

  #value(context: Context): void {
    this.#skipSpace();
    const char = String.fromCharCode(this.#peek());
    if (char === "{") return this.#object();
    if (char === "[") return this.#array();
    if (char === '"') return this.#string();
    if (char === "t") return this.#literal("true");
    if (char === "f") return this.#literal("false");
    if (char === "n") return this.#literal("null");
    if (this.#peek() >= 0 && /[-\d]/.test(char)) return this.#number();
    this.#fail(context);
  }

  #object(): void {
    this.#at++;
    this.#skipSpace();
    if (this.#peek() === 0x7d) return void this.#at++;
    for (;;) {
      this.#skipSpace();
      if (this.#peek() !== QUOTE) this.#fail("looking for beginning of object key string");
      this.#string();
      this.#skipSpace();
      if (this.#peek() !== 0x3a) this.#fail("after object key");
      this.#at++;
      this.#value("looking for beginning of value");
      this.#skipSpace();
      if (this.#peek() === 0x7d) return void this.#at++;
      if (this.#peek() !== 0x2c) this.#fail("after object key:value pair");
      this.#at++;
    }
  }

  #array(): void {
    this.#at++;
    this.#skipSpace();
    if (this.#peek() === 0x5d) return void this.#at++;
    for (;;) {
      this.#value("looking for beginning of value");
      this.#skipSpace();
      if (this.#peek() === 0x5d) return void this.#at++;
      if (this.#peek() !== 0x2c) this.#fail("after array element");
      this.#at++;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const byte = this.#peek();
      if (byte === QUOTE) return void this.#at++;
      if (byte < SPACE) this.#fail("in string literal");
      this.#at++;
      if (byte === BACKSLASH) this.#escape();
    }
  }

  #escape(): void {
    const byte = this.#peek();
    if (!ESCAPES.has(byte)) this.#fail("in string escape code", false);
    this.#at++;
    if (byte !== 0x75) return;
    for (let i = 0; i < 4; i++) {
      if (this.#peek() < 0 || !/[\da-fA-F]/.test(String.fromCharCode(this.#peek()))) {
        this.#fail("in \\u hexadecimal character escape", false);
      }
      this.#at++;
    }
  }

  #literal(text: string): void {
    for (const char of text) {
      if (this.#peek() !== char.charCodeAt(0)) this.#fail(`in literal ${text} (expecting '${char}')`, false);
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === 0x2d) this.#at++;
    if (this.#peek() === 0x30) this.#at++;
    else this.#digits("in numeric literal");
    if (this.#peek() === 0x2e) {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#peek() !== 0x65 && this.#peek() !== 0x45) return;
    this.#at++;
    if (this.#peek() === 0x2b || this.#peek() === 0x2d) this.#at++;
    this.#digits("in exponent of numeric literal");
  }

  #digits(context: Context): void {
    if (this.#peek() < 0x30 || this.#peek() > 0x39) this.#fail(context, false);
    while (this.#peek() >= 0x30 && this.#peek() <= 0x39) this.#at++;
  }
}

/** A byte as Go's messages show it: as the character of that number, quoted. */
function quoted(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const text = char === "\\" ? "\\\\" : NAMED[byte] ?? char;
  if (NAMED[byte] || (byte >= SPACE && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)) return `'${text}'`;
  return byte < 0x80 ? `'\\x${hex(byte, 2)}'` : `'\\u${hex(byte, 4)}'`;
}

const NAMED: Readonly<Record<number, string>> = {
  0x07: "\\a",
  0x08: "\\b",
  0x0c: "\\f",
  0x0a: "\\n",
  0x0d: "\\r",
  0x09: "\\t",
  0x0b: "\\v",
};

function hex(byte: number, digits: number): string {
  return byte.toString(16).padStart(digits, "0");
}

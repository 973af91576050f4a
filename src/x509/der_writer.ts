import { concat } from "@std/bytes/concat";
import { type Bytes, TAG } from "./der_reader.ts";

/** An element that holds these parts in sequence. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Bytes {
  const length = parts.reduce((sum, { length }) => sum + length, 0);
  return concat([new Uint8Array([tag, ...lengthBytes(length)]), ...parts]);
}

export function sequence(...parts: readonly Uint8Array[]): Bytes {
  return der(TAG.sequence, ...parts);
}

/** A set, whose elements DER sorts by their bytes. */
export function setOf(elements: readonly Uint8Array[]): Bytes {
  return der(TAG.set, ...elements.toSorted(compareBytes));
}

/** An object identifier from its bytes in hexadecimal digits. */
export function oid(hex: string): Bytes {
  return der(TAG.oid, bytesOf(hex));
}

/** A non-negative number, from its bytes in big-endian order. */
export function natural(bytes: Uint8Array): Bytes {
  let from = 0;
  while (from < bytes.length && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  const isSigned = digits.length === 0 || (digits[0] & 0x80) !== 0;
  return der(TAG.integer, ...isSigned ? [new Uint8Array(1)] : [], digits);
}

/** A bit string of whole bytes. */
export function bitString(bytes: Uint8Array): Bytes {
  return der(TAG.bitString, new Uint8Array(1), bytes);
}

export function octetString(bytes: Uint8Array): Bytes {
  return der(TAG.octetString, bytes);
}

export function text(tag: number, value: string): Bytes {
  return der(tag, new TextEncoder().encode(value));
}

/** A time in whole seconds, with a two-digit year before 2050. */
export function time(ms: number): Bytes {
  const digits = new Date(ms).toISOString().replace(/\.\d+Z$/, "Z").replace(/[-:T]/g, "");
  const year = new Date(ms).getUTCFullYear();
  if (year >= 1950 && year < 2050) return text(TAG.utcTime, digits.slice(2));
  return text(TAG.generalizedTime, digits);
}

/** The bytes of these hexadecimal digits. */
export function bytesOf(hex: string): Bytes {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

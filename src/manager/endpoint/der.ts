/** Writes the part of DER that certificates need. Each value is given as its content, or as the values within it. */

import { concat } from "@std/bytes/concat";

type Content = Uint8Array | readonly Uint8Array[];

/** A value with its tag and length. */
export function tagged(tag: number, content: Content): Uint8Array<ArrayBuffer> {
  const parts = content instanceof Uint8Array ? [content] : content;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return concat([Uint8Array.of(tag, ...lengthOctets(length)), ...parts]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets = base256(length);
  return [0x80 | octets.length, ...octets];
}

function base256(value: number): number[] {
  return value < 256 ? [value] : [...base256(Math.floor(value / 256)), value % 256];
}

const encoder = new TextEncoder();

export const sequence = (...parts: Uint8Array[]) => tagged(0x30, parts);
export const set = (...parts: Uint8Array[]) => tagged(0x31, parts);
export const text = (value: string) => tagged(0x0c, encoder.encode(value));
export const octets = (content: Uint8Array) => tagged(0x04, content);
export const yes = () => tagged(0x01, Uint8Array.of(0xff));

/** A positive integer, big-endian. */
export function integer(magnitude: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = magnitude.findIndex((octet) => octet !== 0);
  const digits = first < 0 ? Uint8Array.of(0) : magnitude.subarray(first);
  return tagged(0x02, digits[0] >= 0x80 ? [Uint8Array.of(0), digits] : digits);
}

/** A bit string; the last `unused` bits of the last octet do not count. */
export function bits(content: Uint8Array, unused = 0): Uint8Array<ArrayBuffer> {
  return tagged(0x03, [Uint8Array.of(unused), content]);
}

/** An object identifier such as `2.5.4.3`. */
export function identifier(dotted: string): Uint8Array<ArrayBuffer> {
  const [first, second, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const digits = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | left % 128);
  return digits;
}

/** A time in whole seconds in the format of certificates: with two-digit years before 2050. */
export function time(epochMs: number): Uint8Array<ArrayBuffer> {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+|[-:T]/g, "");
  return digits < "2050" ? tagged(0x17, encoder.encode(digits.slice(2))) : tagged(0x18, encoder.encode(digits));
}

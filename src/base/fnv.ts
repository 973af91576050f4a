const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The 32-bit FNV-1a hash of `bytes`: exclusive or, then multiply. `hash` continues an earlier result.
 *
 * @example
 * ```ts
 * import { fnv1a32 } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fnv1a32(new TextEncoder().encode("foobar")), 0xbf9cf968);
 * ```
 */
export function fnv1a32(bytes: Uint8Array, hash: number = OFFSET): number {
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], PRIME);
  return hash >>> 0;
}

/** The 32-bit FNV-1 hash of `bytes`: multiply, then exclusive or. `hash` continues an earlier result. */
export function fnv1_32(bytes: Uint8Array, hash: number = OFFSET): number {
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash, PRIME) ^ bytes[i];
  return hash >>> 0;
}

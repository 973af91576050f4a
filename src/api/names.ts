import type { Random } from "../base/mod.ts";

/**
 * Letters and digits of generated names; vowels and the digits that resemble them are left out, and so are bad words.
 */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** Room that a generated name leaves for its suffix of five, within the 63 characters of a DNS label. */
const LONGEST_PREFIX = 58;

/** `length` random characters as generated names end with. Upstream: `k8s.io/apimachinery/pkg/util/rand` (String). */
export function randomSuffix(random: Random, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += ALPHABET[Math.floor(random.float() * ALPHABET.length)];
  return text;
}

/**
 * A name as the API server makes from `generateName`: the prefix, cut to 58 characters, and five random ones.
 * Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go`.
 *
 * @example
 * ```ts
 * import { generateName } from "kubeloop/api";
 * import { SeededRandom } from "kubeloop/world";
 * import { assertMatch } from "@std/assert";
 *
 * assertMatch(generateName("web-", new SeededRandom()), /^web-[a-z0-9]{5}$/);
 * ```
 */
export function generateName(prefix: string, random: Random): string {
  return prefix.slice(0, LONGEST_PREFIX) + randomSuffix(random, 5);
}

/**
 * `text` with every character replaced by one of those in generated names; how a hash becomes part of a name.
 * Upstream: `k8s.io/apimachinery/pkg/util/rand` (SafeEncodeString).
 */
export function safeEncode(text: string): string {
  let encoded = "";
  for (const character of text) encoded += ALPHABET[character.codePointAt(0)! % ALPHABET.length];
  return encoded;
}

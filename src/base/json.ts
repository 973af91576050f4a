import { mayHoldBigInteger, withBigIntegers } from "./json_big_integers.ts";
import { isDeeperThan } from "./json_depth.ts";
import { writeJson } from "./json_writer.ts";

/**
 * JSON as Kubernetes needs it: 64-bit integers survive a round trip, and a value may be nested as deep as an API server
 * accepts. A number that JavaScript cannot hold exactly is kept as a raw JSON value (`JSON.rawJSON`), which
 * `JSON.stringify` writes back digit by digit. Raw values are immutable and compare by their text.
 *
 * Nothing here recurses by the depth of the data: the engine's stack ends at a few thousand levels.
 */

/** A value that came from JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * How deep JSON may be nested. An API server stops at 10,000 levels but counts JSON inside an object (`RawExtension`)
 * separately. Up to this limit a walk over a value takes milliseconds; sixteen million levels would take seconds.
 */
export const MAX_JSON_DEPTH = 100_000;

/**
 * Parses JSON without losing integers beyond 2^53.
 *
 * @throws {SyntaxError} If `text` is not JSON.
 * @throws {RangeError} If it is nested deeper than {@link MAX_JSON_DEPTH}.
 *
 * @example
 * ```ts
 * import { parseJson } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(JSON.stringify(parseJson("[9223372036854775807]")), "[9223372036854775807]");
 * ```
 */
export function parseJson(text: string): unknown {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) throw new RangeError(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
  const value: unknown = JSON.parse(text);
  return mayHoldBigInteger(text) ? withBigIntegers(text, value) : value;
}

const PLAIN = { keys: Object.keys, text: JSON.stringify };

/** Like `JSON.stringify`, but also works where that would run out of stack. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return writeJson(value, PLAIN);
  }
}

/**
 * What can never be was seen: memory holds something wrong, by a mistake in this program. To go on would mean to act on it, so
 * whoever meets it stops, and does not try again.
 */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/**
 * Checks, in production too, what must hold whatever users and servers do.
 *
 * @param message What does not hold, and of what.
 * @throws {InvariantError} If `holds` is false.
 *
 * @example
 * ```ts
 * import { invariant, InvariantError } from "./mod.ts";
 * import { assertThrows } from "@std/assert";
 *
 * invariant(1 + 1 === 2, "numbers add up");
 * assertThrows(() => invariant(false, "key a is worked on twice"), InvariantError, "key a is worked on twice");
 * ```
 */
export function invariant(holds: boolean, message: string): asserts holds {
  if (!holds) throw new InvariantError(message);
}

/**
 * An impossible state was found, caused by a bug in this program. Continuing would mean acting on it, so the affected
 * part stops and does not retry.
 */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/**
 * Checks, also in production, a condition that must hold whatever users and servers do.
 *
 * @param message What is violated, and where.
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

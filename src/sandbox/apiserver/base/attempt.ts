/**
 * What `read` returns; `undefined` if it throws an error of a class.
 *
 * @param kind Errors of other classes are thrown on.
 *
 * @example
 * ```ts
 * import { attempt } from "./attempt.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(attempt(() => JSON.parse("{}"), SyntaxError), {});
 * assertEquals(attempt(() => JSON.parse("{"), SyntaxError), undefined);
 * ```
 */
export function attempt<T>(read: () => T, kind: abstract new (...args: never[]) => Error = Error): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof kind) return undefined;
    throw error;
  }
}

type ErrorClass = abstract new (...args: never[]) => Error;

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
export function attempt<T>(read: () => T, kind: ErrorClass = Error): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof kind) return undefined;
    throw error;
  }
}

/**
 * What `read` returns.
 *
 * @param into Makes the error to throw if `read` throws one of the class `kind`, from its message.
 */
export function translate<T>(read: () => T, kind: ErrorClass, into: (why: string) => Error): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof kind ? into(error.message) : error;
  }
}

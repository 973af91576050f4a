import { StatusError } from "../../client/mod.ts";

/**
 * Whether the API server itself answered a request with one of these errors. The predicates alone also see what an error
 * was caused by; but a credential that could not be fetched because of some 404 says nothing about the object that the
 * request was about, and nothing may be concluded from it.
 *
 * @example
 * ```ts
 * import { serverSays } from "./mod.ts";
 * import { isNotFound, StatusError } from "../../client/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const gone = new StatusError({ status: "Failure", code: 404, reason: "NotFound", message: "gone" });
 * assertEquals(serverSays(gone, isNotFound), true);
 * assertEquals(serverSays(new Error("no token", { cause: gone }), isNotFound), false);
 * ```
 */
export function serverSays(error: unknown, ...predicates: readonly ((error: unknown) => boolean)[]): boolean {
  return error instanceof StatusError && predicates.some((holds) => holds(error));
}

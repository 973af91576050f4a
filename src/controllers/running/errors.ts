import { errorText } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

/**
 * One error for several: a single one as it is, so that its class still tells what happened; of more, an
 * `AggregateError` whose message lists their distinct texts. Upstream: `k8s.io/apimachinery/pkg/util/errors`
 * (NewAggregate).
 *
 * @returns `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { aggregateErrors } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(aggregateErrors([]), undefined);
 * assertEquals(aggregateErrors([new Error("a"), new Error("b"), new Error("a")])?.message, "[a, b]");
 * ```
 */
export function aggregateErrors(errors: readonly unknown[]): Error | undefined {
  if (errors.length === 0) return undefined;
  const texts = [...new Set(errors.map(errorText))];
  if (errors.length === 1) return errors[0] instanceof Error ? errors[0] : new Error(texts[0]);
  return new AggregateError(errors, texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}

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

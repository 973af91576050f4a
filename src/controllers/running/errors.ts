import { errorText, toError } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

/**
 * Combines several errors into one. A single error is returned as it is, so that its class is kept; several become an
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
  if (errors.length === 1) return toError(errors[0]);
  const texts = [...new Set(errors.map(errorText))];
  return new AggregateError(errors, texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}

/**
 * Whether the API server itself answered the request with one of these errors. The predicates alone also look at an
 * error's causes, but a 404 while fetching a credential says nothing about the object that was requested.
 *
 * @example
 * ```ts
 * import { serverSays } from "./mod.ts";
 * import { isNotFound, StatusError } from "kubeloop/client";
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

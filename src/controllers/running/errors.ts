/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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

import { readBody } from "../base/mod.ts";
import { decodeBody, type Target } from "../decoding/mod.ts";
import { type Exchange, operationOf } from "../exchange/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { askAboutPosted } from "../webhooks/mod.ts";

/**
 * Reads what is posted for an object, and lets webhooks see and change it.
 *
 * @typeParam T The type that `target` describes.
 * @param otherVersions Versions with the same fields, which are accepted as well.
 * @throws {ApiError} 400 if it is something else; the refusal of a webhook.
 */
export async function readPosted<T extends object>(
  exchange: Exchange,
  target: Target,
  otherVersions?: readonly string[],
): Promise<{ readonly operation: Operation; readonly posted: T }> {
  const { request, route: { subresource, name } } = exchange;
  const sent = await readBody(request);
  const operation = operationOf(exchange);
  // Decoded into the struct, it has the shape of the type.
  const body = decodeBody(sent, target, operation, otherVersions) as unknown as T;
  return { operation, posted: await askAboutPosted(operation, { subresource, name, body, target }) };
}

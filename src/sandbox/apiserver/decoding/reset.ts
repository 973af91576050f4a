import { isObject, type JsonObject } from "../base/mod.ts";

/**
 * An empty list of managedFields asks the server to forget all owners, but decoding drops empty lists. A single empty
 * entry means the same and takes its place.
 */
export function keepReset(sent: unknown, object: JsonObject): void {
  if (!isObject(sent) || !isObject(sent.metadata) || !isObject(object.metadata)) return;
  const { managedFields } = sent.metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata.managedFields = [{}];
}

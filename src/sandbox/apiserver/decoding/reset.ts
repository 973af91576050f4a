import { isObject, type JsonObject } from "../base/mod.ts";

/**
 * An empty list of managedFields asks that the owners of fields be forgotten, and is lost when an object is read, as all empty lists
 * are. One entry with nothing in it asks for the same: that is put in its place.
 */
export function keepReset(sent: unknown, object: JsonObject): void {
  if (!isObject(sent) || !isObject(sent.metadata) || !isObject(object.metadata)) return;
  const { managedFields } = sent.metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata.managedFields = [{}];
}

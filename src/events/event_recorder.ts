import type { KubeObject, ObjectReference } from "../api/mod.ts";

/** Events are for good news and for bad news. */
export type EventType = "Normal" | "Warning";

/** Tells users, through Events, what happened to an object and why. */
export interface EventRecorder {
  /**
   * Reports something about `object`, at some later time and if possible; never blocks, never fails.
   *
   * @param object An object with its apiVersion and kind, or a reference to one (for a field, with `fieldPath`).
   * @param reason Short and in UpperCamelCase, for programs.
   * @param message For people.
   */
  event(object: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void;
}

/** What an event about `object` refers to; `undefined` if it does not say what kind of object it is. */
export function referenceOf(object: KubeObject | ObjectReference): ObjectReference | undefined {
  if (!object.apiVersion || !object.kind) return undefined;
  if (!("metadata" in object)) return { ...object };
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {};
  const reference: ObjectReference = { apiVersion: object.apiVersion, kind: object.kind };
  if (namespace) reference.namespace = namespace;
  if (name) reference.name = name;
  if (uid) reference.uid = uid;
  if (resourceVersion) reference.resourceVersion = resourceVersion;
  return reference;
}

import type { KubeObject, ObjectReference } from "../api/mod.ts";

/** The type of an event. */
export type EventType = "Normal" | "Warning";

/** Records Events that tell users what happened to an object and why. */
export interface EventRecorder {
  /**
   * Records an event about `object`, asynchronously and on a best-effort basis; never blocks, never fails.
   *
   * @param object An object with its apiVersion and kind, or a reference to one (for a field, with `fieldPath`).
   * @param reason Short and in UpperCamelCase, for programs.
   * @param message For people.
   */
  event(object: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void;
}

/** The reference for events about `object`; `undefined` if it has no kind. */
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

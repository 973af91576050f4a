import type { StoredObject } from "./backend.ts";

/** A stored object is sent, written to disk, watched and listed, but serialized only once. */
const texts = new WeakMap<StoredObject, string>();

/** The object as JSON. */
export function jsonText(object: StoredObject): string {
  return texts.get(object) ?? JSON.stringify(object);
}

/** Freezes an object deeply and remembers its JSON, since serializing a frozen object takes twice as long. */
export function settle(object: StoredObject, text: string = JSON.stringify(object)): void {
  texts.set(object, text);
  deepFreeze(object);
}

/** Forgets the JSON of an object that is no longer stored, because the history keeps the object for a long time. */
export function forgetText(object: StoredObject): void {
  texts.delete(object);
}

/** Freezes a JSON value deeply. Frozen parts are assumed to be deeply frozen. */
function deepFreeze(value: object): void {
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (isOpen(value[i])) deepFreeze(value[i]);
    return;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    const member = object[key];
    if (isOpen(member)) deepFreeze(member);
  }
}

/** Whether the value still has to be frozen; numbers kept as text are frozen from the start. */
function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}

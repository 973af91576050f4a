import type { StoredObject } from "./backend.ts";

/** A stored object is answered, written to disk, watched and listed: it is put into JSON once. */
const texts = new WeakMap<StoredObject, string>();

/** The object as JSON. */
export function jsonText(object: StoredObject): string {
  return texts.get(object) ?? JSON.stringify(object);
}

/** Makes an object unchangeable, all the way down, and remembers its text: what is frozen takes twice as long to put into JSON. */
export function settle(object: StoredObject, text: string = JSON.stringify(object)): void {
  texts.set(object, text);
  deepFreeze(object);
}

/** Lets go of the text of an object that is stored no more: the history keeps such objects for long. */
export function forgetText(object: StoredObject): void {
  texts.delete(object);
}

/** Makes a JSON value unchangeable, all the way down. What is frozen already is taken to be so below as well. */
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

/** Whether it is something that could be changed; numbers that are kept as text are frozen from the start. */
function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}

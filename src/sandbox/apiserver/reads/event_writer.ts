import type { StoredObject, StoreEvent } from "../../storage/mod.ts";

/** How a watch writes objects. */
export interface WatchForm {
  /** Names the form: watches of the same name write the same. */
  readonly name: string;
  render(object: StoredObject): string;
  /** Writes the object of a bookmark, which has metadata and nothing else. */
  renderBookmark(object: StoredObject): string;
  /** Writes the first object, where that says more than the others. */
  readonly renderFirst?: (object: StoredObject) => string;
}

const encoder = new TextEncoder();

/** A line of a watch. */
export function eventLine(type: string, objectText: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`{"type":"${type}","object":${objectText}}\n`);
}

/** Writes events in one form, each of them once for all watches that show it in this form. */
export class EventWriter {
  readonly form: WatchForm;
  #event: StoreEvent | undefined;
  #type = "";
  #line: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(form: WatchForm) {
    this.form = form;
  }

  /** @param event The write that it tells of: all watches hear of one before the next, so that remembering the last is enough. */
  write(type: string, object: StoredObject, event: StoreEvent): Uint8Array<ArrayBuffer> {
    if (event === this.#event && type === this.#type) return this.#line;
    this.#event = event;
    this.#type = type;
    return this.#line = eventLine(type, this.form.render(object));
  }
}

import type { StoredObject, StoreEvent } from "../../storage/mod.ts";

/** How a watch writes objects. */
export interface WatchForm {
  /** The name of the form; watches with the same name get the same text. */
  readonly name: string;
  render(object: StoredObject): string;
  /** Writes the object of a bookmark, which only has metadata. */
  renderBookmark(object: StoredObject): string;
  /** Writes the first object, if that differs from the others. */
  readonly renderFirst?: (object: StoredObject) => string;
}

const encoder = new TextEncoder();

export function eventLine(type: string, objectText: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`{"type":"${type}","object":${objectText}}\n`);
}

/** Writes each event once per form, for all watches in that form. */
export class EventWriter {
  readonly form: WatchForm;
  #event: StoreEvent | undefined;
  #type = "";
  #line: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(form: WatchForm) {
    this.form = form;
  }

  /**
   * @param event The write behind the event. All watches get one write before the next, so only the last text is kept.
   */
  write(type: string, object: StoredObject, event: StoreEvent): Uint8Array<ArrayBuffer> {
    if (event === this.#event && type === this.#type) return this.#line;
    this.#event = event;
    this.#type = type;
    return this.#line = eventLine(type, this.form.render(object));
  }
}

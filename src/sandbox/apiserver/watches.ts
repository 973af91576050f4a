import type { StoredObject, StoreEvent } from "../storage/mod.ts";
import { expired } from "./errors.ts";
import type { ApiError } from "./errors.ts";
import { type EncodeEvent, Watch, type WatchOptions } from "./watch.ts";

/** Which watches are meant; all by default. */
export interface WatchFilter {
  /** `pods` or `deployments.apps`. */
  readonly resource?: string;
}

/** How watches end: as at their deadline, as when the connection breaks, or with an ERROR event. */
export type WatchEnd = "end" | "break" | "expire";

/**
 * The watches that are open.
 *
 * Contract:
 * 1. A write is encoded once for all watches that show it in the same form.
 * 2. `closeAll` ends every watch that matches; none is left behind.
 */
export class Watches {
  readonly #open = new Set<Watch>();
  #lastEvent: StoreEvent | undefined;
  readonly #lastTexts = new Map<string, Uint8Array>();
  readonly #encoder = new TextEncoder();

  /** Open watches. */
  get size(): number {
    return this.#open.size;
  }

  /** Opens a watch; `form` names how objects are written, `render` writes one. */
  open(
    options: Omit<WatchOptions, "encode" | "onClose">,
    { form, render }: { readonly form: string; readonly render: (object: StoredObject) => string },
  ): Watch {
    const watch: Watch = new Watch({
      ...options,
      encode: this.#encoderOf(form, render),
      onClose: () => void this.#open.delete(watch),
    });
    this.#open.add(watch);
    return watch;
  }

  closeAll({ resource }: WatchFilter = {}, how: WatchEnd | ApiError = "end"): void {
    for (const watch of [...this.#open]) {
      if (resource !== undefined && watch.served.collection !== resource) continue;
      if (how === "end") watch.end();
      else if (how === "break") watch.abort(new TypeError("error reading a body from connection"));
      else watch.fail(how === "expire" ? expired("too old resource version: 1 (2)") : how);
    }
  }

  #encoderOf(form: string, render: (object: StoredObject) => string): EncodeEvent {
    return (type, object, event) => {
      const write = () => this.#encoder.encode(`{"type":"${type}","object":${render(object)}}\n`);
      if (!event) return write();
      if (event !== this.#lastEvent) {
        this.#lastEvent = event;
        this.#lastTexts.clear();
      }
      // All watches hear of a write at once, so that remembering the last one is enough.
      const key = `${form}|${type}`;
      let bytes = this.#lastTexts.get(key);
      if (!bytes) this.#lastTexts.set(key, bytes = write());
      return bytes;
    };
  }
}

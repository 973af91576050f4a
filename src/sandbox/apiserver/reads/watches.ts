import { EventWriter, type WatchForm } from "./event_writer.ts";
import { type ApiError, expired } from "../base/mod.ts";
import { Watch, type WatchOptions } from "./watch.ts";

/** Selects watches; all by default. */
export interface WatchFilter {
  /** `pods` or `deployments.apps`. */
  readonly resource?: string;
}

/** How watches end: as at their deadline, as by a broken connection, or with an ERROR event. */
export type WatchEnd = "end" | "break" | "expire";

/** A form that open watches use, and how many do. */
interface SharedWriter {
  readonly writer: EventWriter;
  watches: number;
}

/**
 * The open watches.
 *
 * Contract:
 * 1. A write is encoded once for all watches that show it in the same form.
 * 2. `closeAll` ends every watch that matches; none is left behind.
 * 3. Other streams about a resource end with its watches.
 */
export class Watches {
  readonly #open = new Set<Watch>();
  readonly #writers = new Map<string, SharedWriter>();
  readonly #others = new Map<() => void, string>();

  get size(): number {
    return this.#open.size;
  }

  open(options: Omit<WatchOptions, "writer" | "onClose">, form: WatchForm): Watch {
    let shared = this.#writers.get(form.name);
    if (!shared) this.#writers.set(form.name, shared = { writer: new EventWriter(form), watches: 0 });
    shared.watches++;
    const { writer } = shared;
    const watch: Watch = new Watch({ ...options, writer, onClose: () => this.#closed(watch) });
    this.#open.add(watch);
    return watch;
  }

  /** Calls `end` when the watches of a resource are closed, until the returned function is called. */
  endWith(resource: string, end: () => void): () => void {
    const other = () => end();
    this.#others.set(other, resource);
    return () => void this.#others.delete(other);
  }

  closeAll({ resource }: WatchFilter = {}, how: WatchEnd | ApiError = "end"): void {
    for (const watch of [...this.#open]) {
      if (resource !== undefined && watch.served.collection !== resource) continue;
      if (how === "end") watch.end();
      else if (how === "break") watch.abort(new TypeError("error reading a body from connection"));
      else watch.fail(how === "expire" ? expired("too old resource version: 1 (2)") : how);
    }
    for (const [end, of] of [...this.#others]) if (resource === undefined || of === resource) end();
  }

  #closed(watch: Watch): void {
    this.#open.delete(watch);
    const { name } = watch.form;
    const shared = this.#writers.get(name);
    if (shared && --shared.watches === 0) this.#writers.delete(name);
  }
}

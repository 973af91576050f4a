import type { Event } from "../../api/mod.ts";
import type { ShownKind, Standing } from "./kinds.ts";

/** A step before the cluster can be used. */
export interface Step {
  readonly name: string;
  readonly isDone: boolean;
}

/** How many events are kept. */
const MOST_EVENTS = 50;

/**
 * The cluster's state, for a view to show.
 *
 * Contract:
 * 1. `tally` counts the objects of a kind, and how many of them are ready.
 * 2. An event that repeats takes its new place; only the last fifty are kept.
 */
export class Board {
  /** The heading: what this is, and how to reach it. */
  heading: readonly string[] = [];
  readonly #steps = new Map<string, boolean>();
  readonly #objects = new Map<ShownKind, Map<string, Standing>>();
  readonly #events = new Map<string, Event>();

  get steps(): readonly Step[] {
    return [...this.#steps].map(([name, isDone]) => ({ name, isDone }));
  }

  /** Newest last. */
  get events(): readonly Event[] {
    return [...this.#events.values()];
  }

  step(name: string, isDone: boolean): void {
    this.#steps.set(name, isDone);
  }

  /** Records an object's standing; `undefined` when it is gone. Returns the previous standing. */
  note(kind: ShownKind, key: string, standing: Standing | undefined): Standing | undefined {
    let objects = this.#objects.get(kind);
    if (!objects) this.#objects.set(kind, objects = new Map());
    const before = objects.get(key);
    if (standing) objects.set(key, standing);
    else objects.delete(key);
    return before;
  }

  tally(kind: ShownKind): { readonly ready: number; readonly total: number } {
    const standings = [...this.#objects.get(kind)?.values() ?? []];
    return { ready: standings.filter(({ ready }) => ready).length, total: standings.length };
  }

  noteEvent(event: Event): void {
    const uid = event.metadata?.uid ?? "";
    this.#events.delete(uid);
    this.#events.set(uid, event);
    if (this.#events.size > MOST_EVENTS) this.#events.delete(this.#events.keys().next().value!);
  }
}

/** Informers whose unreadable objects are reported together. */
export type SetAsideBoard = Set<SetAside>;

/** Why objects cannot be read, by their keys. */
export type Reasons = ReadonlyMap<string, string>;

/** An unreadable object, and why. */
export interface SetAsideObject {
  readonly key: string;
  readonly reason: string;
}

/** How many keys are remembered per informer; further ones are only counted. */
const MOST_REMEMBERED = 1000;

/** How many lines a person reads. */
const MOST_SHOWN = 10;

/**
 * The objects of one informer that came and could not be read.
 *
 * Contract:
 * 1. An object is in it from when it cannot be read until a version of it can, until it is deleted, or until a list
 *    lacks it.
 * 2. It remembers a bounded number of keys, and nothing of what the objects hold.
 */
export class SetAside {
  /** The name in messages. */
  readonly resource: string;
  #reasons = new Map<string, string>();

  constructor(resource: string) {
    this.resource = resource;
  }

  get size(): number {
    return this.#reasons.size;
  }

  add({ key, reason }: SetAsideObject): void {
    if (this.size < MOST_REMEMBERED || this.#reasons.has(key)) this.#reasons.set(key, reason);
  }

  remove(key: string): void {
    this.#reasons.delete(key);
  }

  /** Replaces all of them with those of a list. */
  replace(reasons: Reasons): void {
    this.#reasons.clear();
    for (const [key, reason] of reasons) this.add({ key, reason });
  }

  /** A line for each of up to `most` objects: resource, key and reason. */
  lines(most: number): string[] {
    return [...this.#reasons.entries().take(most)].map(([key, reason]) =>
      `${this.resource} ${JSON.stringify(key)}: ${reason}`
    );
  }
}

/** A line for each of the first objects of all informers, and one with the number of further ones. */
export function setAsideLines(board: SetAsideBoard): string[] {
  const lines = [...board].flatMap((setAside) => setAside.lines(MOST_SHOWN)).slice(0, MOST_SHOWN);
  const size = [...board].reduce((sum, { size }) => sum + size, 0);
  return size > lines.length ? [...lines, `and ${size - lines.length} more`] : lines;
}

/** How many distinct causes a key has; further ones are only counted. */
export const MAX_CAUSES = 8;

/** What happened to an object. `resynced`: nothing; the cache was replayed. */
export type Change = "added" | "updated" | "resynced" | "deleted";

/** The change of an object. Plain data. */
export interface ObjectChange {
  /** In lower case. */
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly change: Change;
  readonly resourceVersion?: string;
}

/** Why something happened; formatted only when needed, which is seldom. */
export interface Reason {
  toString(): string;
  /** Whether both have the same text. */
  isSameAs(other: Reason): boolean;
  /** The change of an object, or the failure before a retry, that it refers to; absent for timers and so on. */
  readonly refersTo?: ObjectChange | "failure";
}

/** A cause as text, with what it refers to. Plain data. */
export interface CauseNote {
  readonly text: string;
  readonly refersTo?: ObjectChange | "failure";
}

/** A cause that takes effect after a delay, such as a deadline; any other takes effect at once. */
export interface Due {
  readonly due: string;
}

/** A cause that takes effect at once. */
export type Fact = string | Reason;

/** Why a key is added. */
export type Cause = Fact | Due;

/**
 * Why a key is in the queue: a bounded set.
 *
 * Contract:
 * 1. The causes are distinct and in the order in which they came.
 * 2. There are never more than {@link MAX_CAUSES}; each further one only raises `dropped`.
 * 3. A cause does not count until it is due. `ripen` drops causes that did not come true.
 * 4. No text is made before `texts` or `notes` are called for.
 */
export class Causes {
  /** Most keys have only one. */
  #first: Fact | undefined;
  #others: Fact[] | undefined;
  /** Texts that take effect later, with the monotonic time. Limited like the others. */
  #due: Map<string, number> | undefined;
  #dropped = 0;

  /** How many are kept. */
  get size(): number {
    return this.#first === undefined ? 0 : 1 + (this.#others?.length ?? 0);
  }

  /** The kept causes as text. */
  get texts(): readonly string[] {
    return Array.from(this.#facts(), String);
  }

  /** The kept causes as plain data. */
  get notes(): readonly CauseNote[] {
    return Array.from(
      this.#facts(),
      (fact) => ({ text: String(fact), refersTo: typeof fact === "string" ? undefined : fact.refersTo }),
    );
  }

  /** How many further causes were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param atMs When a delayed cause takes effect, by the monotonic clock; the earliest of several times counts. */
  add(cause: Cause, atMs?: number): void {
    if (typeof cause === "string" || !("due" in cause)) this.#add(cause);
    else if (atMs === undefined) this.#add(cause.due);
    else this.#addLater(cause.due, atMs);
  }

  /**
   * Keeps delayed causes that have taken effect by `nowMs` and drops the others, because the key is processed earlier.
   */
  ripen(nowMs: number): void {
    if (!this.#due) return;
    for (const [text, atMs] of this.#due) if (atMs <= nowMs) this.#add(text);
    this.#due = undefined;
  }

  addAll(other: Causes): void {
    for (const fact of other.#facts()) this.#add(fact);
    this.#dropped += other.#dropped;
  }

  #add(fact: Fact): void {
    if (this.#first === undefined) this.#first = fact;
    else if (areSame(this.#first, fact)) return;
    else if (!this.#others) this.#others = [fact];
    else if (this.#others.some((other) => areSame(other, fact))) return;
    else if (this.size < MAX_CAUSES) this.#others.push(fact);
    else this.#dropped++;
  }

  #addLater(text: string, atMs: number): void {
    this.#due ??= new Map();
    const earlier = this.#due.get(text);
    if (earlier === undefined && this.#due.size >= MAX_CAUSES) this.#dropped++;
    else this.#due.set(text, Math.min(atMs, earlier ?? atMs));
  }

  *#facts(): Iterable<Fact> {
    if (this.#first !== undefined) yield this.#first;
    if (this.#others) yield* this.#others;
  }
}

function areSame(a: Fact, b: Fact): boolean {
  if (typeof a === "object" && typeof b === "object") return a.isSameAs(b);
  return String(a) === String(b);
}

/** How many different causes a key carries; the rest is only counted. */
export const MAX_CAUSES = 8;

/** What happened to an object. `resynced`: nothing, the cache was merely replayed. */
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

/** Why something happened; put into words when somebody asks, since hardly anybody does. */
export interface Reason {
  toString(): string;
  /** Whether both have the same words. */
  isSameAs(other: Reason): boolean;
  /** The change of an object, or the failure before a retry, that it speaks of; absent for a timer and the like. */
  readonly refersTo?: ObjectChange | "failure";
}

/** A cause in words, with what it refers to. Plain data. */
export interface CauseNote {
  readonly text: string;
  readonly refersTo?: ObjectChange | "failure";
}

/** A cause that comes true when a delay has passed, such as a deadline; any other is true when it is given. */
export interface Due {
  readonly due: string;
}

/** What is true when it is given. */
export type Fact = string | Reason;

/** Why a key is added. */
export type Cause = Fact | Due;

/**
 * Why a key is in the queue: a bounded set.
 *
 * Contract:
 * 1. The causes are distinct and in the order in which they came.
 * 2. There are never more than {@link MAX_CAUSES}; each further one only raises `dropped`.
 * 3. A cause that is due later is none before its time; `ripen` leaves out what has not come true.
 * 4. Nothing is put into words before somebody asks for `texts` or `notes`.
 */
export class Causes {
  /** Most keys have but one. */
  #first: Fact | undefined;
  #others: Fact[] | undefined;
  /** Texts that come true later: when, by the monotonic clock. As bounded as the others. */
  #due: Map<string, number> | undefined;
  #dropped = 0;

  /** How many are kept. */
  get size(): number {
    return this.#first === undefined ? 0 : 1 + (this.#others?.length ?? 0);
  }

  /** The causes kept, in words. */
  get texts(): readonly string[] {
    return Array.from(this.#facts(), String);
  }

  /** The causes kept, as plain data. */
  get notes(): readonly CauseNote[] {
    return Array.from(
      this.#facts(),
      (fact) => ({ text: String(fact), refersTo: typeof fact === "string" ? undefined : fact.refersTo }),
    );
  }

  /** How many came when the set was full and were not in it. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param atMs When it comes true if it is due later, by the monotonic clock; the earliest of several times counts. */
  add(cause: Cause, atMs?: number): void {
    if (typeof cause === "string" || !("due" in cause)) this.#add(cause);
    else if (atMs === undefined) this.#add(cause.due);
    else this.#addLater(cause.due, atMs);
  }

  /** Makes causes of what has come true by `nowMs`, and forgets the rest: the key is worked on before. */
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

import type { WriteNote } from "../../client/mod.ts";
import type { CauseNote } from "../../workqueue/mod.ts";
import {
  changeBehind,
  isCausedBy,
  type JournalAnswer,
  type JournalQuery,
  newest,
  precedes,
  writeBehind,
} from "./journal_query.ts";
import { idOf, isIdle, isSyncOf, isWriteTo, type ObjectName, type Sync } from "./sync.ts";

/** Queries the journals of all groups. */
export type AskJournals = (query: JournalQuery) => Promise<readonly JournalAnswer[]>;

/** Explains an object's state: the syncs of it and those that wrote it, each with its causes. Plain data. */
export interface Chain {
  readonly object: ObjectName;
  /** Oldest first. */
  readonly syncs: readonly SyncNode[];
  /** The number of further known syncs: older ones, and those that found nothing to do. */
  readonly omitted: number;
  /** The last syncs of other objects that this one caused. */
  readonly ledTo: readonly SyncNode[];
  /** The number of all syncs since the start, and of those that the journal has forgotten. */
  readonly recorded: number;
  readonly forgotten: number;
}

/** A sync in a chain. Times in milliseconds. */
export interface SyncNode extends Omit<Sync, "causes" | "number"> {
  /** Other nodes refer to it by this. */
  readonly id: string;
  /** In RFC 3339 format. */
  readonly startedAt: string;
  readonly causes: readonly CauseNode[];
}

/** One reason for a sync. */
export interface CauseNode {
  readonly text: string;
  readonly origin: Origin;
}

/** Where a cause came from. */
export type Origin =
  /** A sync's write. */
  | { readonly type: "write"; readonly write: WriteNote; readonly by: SyncNode }
  /** A write of a sync that is shown elsewhere in the chain. */
  | { readonly type: "shown"; readonly write?: WriteNote; readonly id: string }
  /** A failed sync. */
  | { readonly type: "failure"; readonly of: SyncNode }
  /** A change that no known sync made: by another client, or before the journal begins. */
  | { readonly type: "outside" }
  /** A timer or the like, without a cause of its own. */
  | { readonly type: "none" }
  /** The search ended here. */
  | { readonly type: "cut" };

/** How many syncs of one object are shown, and how many that it caused. */
const MOST_ROOTS = 10;
const MOST_EFFECTS = 5;
/** How many steps back from the object are shown, and how many syncs in total. */
const MOST_STEPS = 12;
const MOST_SYNCS = 200;

/**
 * Explains the state of `object` from the journals of all groups.
 *
 * Contract:
 * 1. Each sync is shown once, where it first appears; later mentions refer to it. So circles end.
 * 2. A cause leads to the sync that wrote the version it names, or that deleted what it says was deleted; a retry to
 *    its failure.
 * 3. Nothing leads to a sync that started later.
 *
 * @returns `undefined` if no journal knows the object.
 */
export async function chainOf(object: ObjectName, ask: AskJournals): Promise<Chain | undefined> {
  const known = new KnownSyncs(ask);
  const answers = await known.learn({ object });
  const syncs = newest(answers.flatMap((answer) => answer.syncs), Infinity);
  const about = syncs.filter((sync) => isSyncOf(sync, object) || sync.writes.some((write) => isWriteTo(write, object)));
  const roots = rootsOf(about);
  const effects = syncs.filter((sync) => isCausedBy(sync, object) && !about.includes(sync)).slice(-MOST_EFFECTS);
  if (roots.length === 0 && effects.length === 0) return undefined;
  await known.explore(roots);
  const tree = new TreeBuilder(known);
  return {
    object,
    syncs: roots.flatMap((root) => tree.isShown(root) ? [] : tree.node(root, 0)),
    omitted: about.length - roots.length,
    ledTo: effects.filter((sync) => !tree.isShown(sync)).map((sync) => tree.leaf(sync)),
    recorded: sum(answers.map(({ recorded }) => recorded)),
    forgotten: sum(answers.map(({ forgotten }) => forgotten)),
  };
}

/** The last syncs that changed something or failed, and the very last one. */
function rootsOf(about: readonly Sync[]): readonly Sync[] {
  const last = about.at(-1);
  return about.filter((sync) => !isIdle(sync) || sync === last).slice(-MOST_ROOTS);
}

/** The syncs that the journals have returned so far. */
class KnownSyncs {
  readonly #ask: AskJournals;
  readonly #syncs = new Map<string, Sync>();
  readonly #explored = new Set<string>();

  constructor(ask: AskJournals) {
    this.#ask = ask;
  }

  async learn(query: JournalQuery): Promise<readonly JournalAnswer[]> {
    const answers = await this.#ask(query);
    return answers.map((answer) => ({ ...answer, syncs: answer.syncs.map((sync) => this.#known(sync)) }));
  }

  /** Queries the causes of `syncs`, then their causes, and so on. */
  async explore(syncs: readonly Sync[]): Promise<void> {
    let edge = syncs;
    for (let step = 0; step < MOST_STEPS && edge.length > 0 && this.#explored.size < MOST_SYNCS; step++) {
      for (const sync of edge) this.#explored.add(idOf(sync));
      const changes = edge.flatMap(({ causes }) => causes.flatMap((cause) => changeBehind(cause) ?? []));
      const retries = edge.filter(isRetry).map(({ controller, key, startedMs }) => ({ controller, key, startedMs }));
      if (changes.length + retries.length > 0) await this.learn({ changes, retries });
      edge = [...new Set(edge.flatMap((sync) => this.#originsOf(sync)))].filter((sync) => !this.isExploredOf(sync));
    }
  }

  isExploredOf(sync: Sync): boolean {
    return this.#explored.has(idOf(sync));
  }

  /** The origin of `cause` of `sync`. */
  originOf(sync: Sync, cause: CauseNote): { readonly sync: Sync; readonly write?: WriteNote } | undefined {
    const earlier = [...this.#syncs.values()].filter((other) => other !== sync && other.startedMs <= sync.startedMs);
    if (cause.refersTo === "failure") {
      const failure = newest(earlier.filter((other) => precedes(other, sync)), 1)[0];
      return failure && { sync: failure };
    }
    const change = changeBehind(cause);
    if (!change) return undefined;
    const writers = earlier.flatMap((other) => {
      const write = writeBehind(other, change);
      return write ? [{ sync: other, write }] : [];
    });
    // A write that changes nothing also returns the current version, so the first one made the change.
    const exact = writers.filter(({ write }) => write.resourceVersion === change.resourceVersion);
    if (change.resourceVersion !== undefined && exact.length > 0) return exact.reduce((a, b) => isOlder(b, a) ? b : a);
    return writers.length === 0 ? undefined : writers.reduce((a, b) => isOlder(a, b) ? b : a);
  }

  /** Each answer contains copies; one of them represents all. */
  #known(sync: Sync): Sync {
    const id = idOf(sync);
    const known = this.#syncs.get(id);
    if (!known) this.#syncs.set(id, sync);
    return known ?? sync;
  }

  #originsOf(sync: Sync): Sync[] {
    return sync.causes.flatMap((cause) => this.originOf(sync, cause)?.sync ?? []);
  }
}

class TreeBuilder {
  readonly #known: KnownSyncs;
  readonly #shown = new Set<Sync>();

  constructor(known: KnownSyncs) {
    this.#known = known;
  }

  isShown(sync: Sync): boolean {
    return this.#shown.has(sync);
  }

  node(sync: Sync, steps: number): SyncNode {
    this.#shown.add(sync);
    return nodeOf(sync, sync.causes.map((cause) => ({ text: cause.text, origin: this.#originOf(sync, cause, steps) })));
  }

  leaf(sync: Sync): SyncNode {
    return nodeOf(sync, sync.causes.map(({ text }) => ({ text, origin: { type: "cut" } })));
  }

  #originOf(sync: Sync, cause: CauseNote, steps: number): Origin {
    const found = this.#known.originOf(sync, cause);
    if (!found) {
      if (!changeBehind(cause)) return { type: "none" };
      return this.#known.isExploredOf(sync) ? { type: "outside" } : { type: "cut" };
    }
    const { sync: origin, write } = found;
    if (this.isShown(origin)) return { type: "shown", write, id: idOf(origin) };
    if (steps >= MOST_STEPS) return { type: "cut" };
    const node = this.node(origin, steps + 1);
    return write ? { type: "write", write, by: node } : { type: "failure", of: node };
  }
}

function nodeOf(sync: Sync, causes: readonly CauseNode[]): SyncNode {
  const { number: _number, ...rest } = sync;
  return { id: idOf(sync), startedAt: new Date(sync.startedMs).toISOString(), ...rest, causes };
}

function isOlder(a: { readonly sync: Sync }, b: { readonly sync: Sync }): boolean {
  return a.sync.startedMs < b.sync.startedMs;
}

function isRetry({ causes }: Sync): boolean {
  return causes.some(({ refersTo }) => refersTo === "failure");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

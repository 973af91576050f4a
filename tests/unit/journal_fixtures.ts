import type { WriteNote } from "../../src/api/mod.ts";
import { MetricsRegistry } from "../../src/base/mod.ts";
import type { JournalEntry } from "../../src/controllers/mod.ts";
import { answerFrom, type AskJournals, SyncJournal } from "../../src/manager/journal/mod.ts";

/** An entry of which only what matters is said. */
export function entry(of: Partial<JournalEntry> = {}): JournalEntry {
  return {
    controller: "x-controller",
    key: "shop/web",
    causes: [],
    droppedCauses: 0,
    waitedMs: 0,
    startedMs: 0,
    durationMs: 1,
    outcome: "done",
    reads: [],
    droppedReads: 0,
    writes: [],
    droppedWrites: 0,
    ...of,
  };
}

/** `create Pod shop/web-1 7`: a write and the version that came of it, if any. */
export function write(text: string): WriteNote {
  const [verb, kind, key, resourceVersion] = text.split(" ");
  return { verb: verb as WriteNote["verb"], resource: `${kind.toLowerCase()}s`, kind, key, resourceVersion };
}

/** `deployment-controller Deployment shop/web` as of `startedMs`. */
export function sync(
  who: string,
  startedMs: number,
  { causes = [], writes = [], ...rest }:
    & { causes?: string[]; writes?: string[] }
    & Partial<
      Pick<JournalEntry, "outcome" | "error" | "nextTryMs">
    > = {},
): JournalEntry {
  const [controller, kind, key] = who.split(" ");
  return entry({ controller, kind, key, startedMs, causes, writes: writes.map(write), ...rest });
}

/** Journals of groups, and what asks all of them. */
export function journals(groups: Readonly<Record<string, readonly JournalEntry[]>>): AskJournals {
  const all = Object.entries(groups).map(([group, entries]) => {
    const journal = new SyncJournal({ metrics: new MetricsRegistry(), group });
    for (const each of entries) journal.record(each);
    return journal;
  });
  // As between threads, nothing but plain data arrives.
  return (query) => Promise.resolve(all.map((journal) => structuredClone(answerFrom(journal, structuredClone(query)))));
}

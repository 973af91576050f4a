import type { WriteNote } from "../../../../src/client/mod.ts";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import { cause, type JournalEntry } from "../../../../src/controllers/mod.ts";
import {
  type Cause,
  Causes,
  type Change,
  type Reason,
  SyncNotes,
  type SyncRecord,
} from "../../../../src/workqueue/mod.ts";
import { answerFrom, type AskJournals, SyncJournal } from "../../../../src/manager/journal/mod.ts";

/** What is said of an entry; the rest does not matter. */
export interface EntryParts extends Partial<Pick<JournalEntry, "controller" | "kind" | "key">> {
  readonly startedMs?: number;
  readonly causes?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly WriteNote[];
  readonly outcome?: SyncRecord["outcome"];
  readonly error?: unknown;
  readonly nextTryMs?: number;
}

/** An entry of which only what matters is said. */
export function entry(of: EntryParts = {}): JournalEntry {
  const { controller = "x-controller", kind, key = "shop/web", startedMs = 0, outcome = "done", error, nextTryMs } = of;
  const causes = new Causes();
  for (const text of of.causes ?? []) causes.add(causeOf(text));
  const record = new SyncNotes({ key, causes, waitedMs: 0 }, startedMs);
  for (const what of of.reads ?? []) record.read("pods", what, 1);
  for (const note of of.writes ?? []) record.wrote({ note, bytes: note.key.length });
  if (nextTryMs !== undefined) record.putOff(key, nextTryMs);
  record.end(outcome, { durationMs: 1, error });
  return { controller, kind, key, record };
}

/** `pod/shop/web-1 updated at 7` and `retry: why` as controllers and workers give them; anything else is a text. */
function causeOf(text: string): Cause {
  if (text.startsWith("retry: ")) {
    const retry: Reason = { refersTo: "failure", toString: () => text, isSameAs: (other) => String(other) === text };
    return retry;
  }
  const [, kind, namespace, name, what, resourceVersion] =
    text.match(/^(\w+)\/(\w+)\/(\S+) (added|updated|resynced|deleted)(?: at (\w+))?$/) ?? [];
  return kind ? cause(kind, { metadata: { namespace, name, resourceVersion } }, what as Change) : text;
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
    & { writes?: string[] }
    & Pick<EntryParts, "causes" | "outcome" | "error" | "nextTryMs"> = {},
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

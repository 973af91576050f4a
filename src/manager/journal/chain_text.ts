import type { WriteNote } from "../../client/mod.ts";
import type { CauseNode, Chain, Origin, SyncNode } from "./chain.ts";
import { isWriteTo, type ObjectName } from "./sync.ts";

/** How many writes and reads of a sync are shown. */
const MOST_WRITES = 4;
const MOST_READS = 4;

/** A line and its children. */
interface Branch {
  readonly text: string;
  readonly below: readonly Branch[];
}

/** The context for formatting a chain. */
interface Telling {
  readonly object: ObjectName;
  readonly nowMs: number;
}

/**
 * Formats a chain as a tree: each sync with its reads, writes and result, and its causes below.
 *
 * @param nowMs The manager's wall clock.
 */
export function chainText(chain: Chain, nowMs: number): string {
  const telling = { object: chain.object, nowMs };
  const { kind, key } = chain.object;
  const lines = [`${kind}/${key}, asked at ${dayOf(nowMs)} ${timeOfDay(nowMs)} UTC`];
  if (chain.omitted > 0) {
    lines.push(`(not shown: ${countText(chain.omitted, "further sync")}, older or with nothing to do)`);
  }
  for (const sync of chain.syncs) lines.push("", ...linesOf(branchOf(sync, telling)));
  if (chain.syncs.length === 0) lines.push("", "Nobody in this manager has written or synced it, as far as is known.");
  if (chain.ledTo.length > 0) lines.push("", "It led to:");
  for (const sync of chain.ledTo) lines.push(`  ${headline(sync, nowMs)}`);
  if (chain.forgotten > 0) {
    const all = countText(chain.recorded, "sync");
    lines.push("", `The journal has forgotten ${chain.forgotten} of ${all} since the start.`);
  }
  return lines.join("\n") + "\n";
}

function linesOf({ text, below }: Branch): string[] {
  return [
    text,
    ...below.flatMap((branch, i) => {
      const isLast = i === below.length - 1;
      const [first, ...rest] = linesOf(branch);
      return [`${isLast ? "└─ " : "├─ "}${first}`, ...rest.map((line) => `${isLast ? "   " : "│  "}${line}`)];
    }),
  ];
}

/** @param wanted The write that the sync is shown for. */
function branchOf(sync: SyncNode, telling: Telling, wanted?: WriteNote): Branch {
  const { reads, droppedReads, writes, droppedWrites, causes, droppedCauses } = sync;
  return {
    text: headline(sync, telling.nowMs),
    below: [
      ...readsOf(reads, droppedReads),
      ...writesOf(writes, droppedWrites, (write) => write === wanted || isWriteTo(write, telling.object)),
      ...endOf(sync, telling.nowMs),
      ...causes.map((cause) => causeBranch(cause, telling)),
      ...droppedCauses > 0 ? [leaf(`and ${countText(droppedCauses, "further cause")}`)] : [],
    ],
  };
}

function headline(sync: SyncNode, nowMs: number): string {
  const { controller, kind, key, startedMs, waitedMs, durationMs, outcome, id } = sync;
  const what = kind === undefined ? key : `${kind.toLowerCase()}/${key}`;
  const times = `waited ${durationText(waitedMs)}, took ${durationText(durationMs)}`;
  const end = { done: "done", retry: "failed", forget: "failed and given up" }[outcome];
  const when = `${timeText(startedMs, nowMs)} (${ageText(nowMs - startedMs)})`;
  return `${when} ${controller} synced ${what}: ${end}, ${times} [${id}]`;
}

function readsOf(reads: SyncNode["reads"], dropped: number): Branch[] {
  if (reads.length === 0) return [];
  const shown = reads.slice(0, MOST_READS).map(({ resource, what, count }) => {
    return `${resource} ${what}${count === 1 ? "" : ` (${count === 0 ? "none" : count})`}`;
  });
  const more = reads.length - shown.length + dropped;
  return [leaf(`read ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`)];
}

function writesOf(
  writes: readonly WriteNote[],
  dropped: number,
  comesFirst: (write: WriteNote) => boolean,
): Branch[] {
  const ordered = [...writes.filter(comesFirst), ...writes.filter((write) => !comesFirst(write))];
  const more = Math.max(0, ordered.length - MOST_WRITES) + dropped;
  return [
    ...ordered.slice(0, MOST_WRITES).map((write) => leaf(`wrote ${writeText(write)}`)),
    ...more > 0 ? [leaf(`and ${countText(more, "further write")}`)] : [],
  ];
}

function writeText({ verb, kind, key, subresource, resourceVersion, error }: WriteNote): string {
  const what = `${verb} ${kind.toLowerCase()}/${key}${subresource === undefined ? "" : ` ${subresource}`}`;
  if (error !== undefined) return `${what}: failed: ${error}`;
  return resourceVersion === undefined ? what : `${what}, now at ${resourceVersion}`;
}

function endOf({ error, startedMs, durationMs, nextTryMs, outcome }: SyncNode, nowMs: number): Branch[] {
  const lines: Branch[] = error === undefined ? [] : [leaf(`error: ${error}`)];
  if (nextTryMs === undefined) return lines;
  const at = timeText(startedMs + durationMs + nextTryMs, nowMs);
  const what = outcome === "retry" ? "next try" : "to be looked at again";
  return [...lines, leaf(`${what} ${durationText(nextTryMs)} later, at ${at}`)];
}

function causeBranch({ text, origin }: CauseNode, telling: Telling): Branch {
  const { note, below } = originOf(origin, telling);
  return { text: `because ${text}${note}`, below };
}

function originOf(origin: Origin, telling: Telling): { readonly note: string; readonly below: readonly Branch[] } {
  switch (origin.type) {
    case "write":
      return { note: "", below: [branchOf(origin.by, telling, origin.write)] };
    case "failure":
      return { note: "", below: [branchOf(origin.of, telling)] };
    case "shown":
      return { note: `: by [${origin.id}], see there`, below: [] };
    case "outside":
      return { note: ": by somebody else, as far as the journal goes", below: [] };
    case "none":
    case "cut":
      return { note: "", below: [] };
  }
}

function leaf(text: string): Branch {
  return { text, below: [] };
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Includes the day if it is not that of `nowMs`. */
function timeText(ms: number, nowMs: number): string {
  return dayOf(ms) === dayOf(nowMs) ? timeOfDay(ms) : `${dayOf(ms)} ${timeOfDay(ms)}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function timeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}

function durationText(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

function ageText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(Math.max(0, ms))} ms ago`;
  if (seconds < 120) return `${Math.round(seconds)} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return `${Math.round(seconds / 3600)} h ago`;
}

import { type Event, objectKey } from "../api/mod.ts";
import { type Clock, errorText } from "../base/mod.ts";
import type { Transport } from "../client/mod.ts";
import type { Journal, JournalEntry } from "../controllers/mod.ts";
import type { ApiServer } from "../sandbox/mod.ts";
import { changedPaths } from "./changed_paths.ts";

type Write = Parameters<Parameters<ApiServer["onWrite"]>[0]>[0];

interface Entry {
  readonly atMs: number;
  /** Formatted on demand. */
  text(): string;
}

/** How many entries are kept. */
const LIMIT = 5_000;
/** How many changed fields are named. */
const MOST_FIELDS = 6;

/**
 * A cluster's history, to explain failed tests: every write to the store, every client's write with its answer, and
 * every sync of every controller with its causes.
 *
 * Contract:
 * 1. Entries are in the order in which things happened, each with the time since the start.
 * 2. The last 5,000 are kept; how many were forgotten is said.
 */
export class History implements Journal {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #entries: Entry[] = [];
  #forgotten = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  /** Records every write to the store of `apiServer` until the returned function is called. */
  follow(apiServer: ApiServer): () => void {
    return apiServer.onWrite((write) => this.#add(() => describeWrite(write)));
  }

  /** Passes requests on and records writes with their answers. */
  around(transport: Transport): Transport {
    return async (request) => {
      if (request.method === "GET") return await transport(request);
      const what = `${clientOf(request)} ${request.method} ${new URL(request.url).pathname}`;
      try {
        const response = await transport(request);
        const why = response.ok ? "" : ` ${await messageOf(response.clone())}`;
        this.#add(() => `request  ${what} -> ${response.status}${why}`);
        return response;
      } catch (error) {
        this.#add(() => `request  ${what} -> ${errorText(error)}`);
        throw error;
      }
    };
  }

  /** Records a sync of a controller. */
  record(entry: JournalEntry): void {
    this.#add(() => describeSync(entry));
  }

  /** Adds a test's own note. */
  note(text: string): void {
    this.#add(() => `note     ${text}`);
  }

  /**
   * The last entries as text, one per line.
   *
   * @param options.about Only lines that contain this text, such as `default/web`.
   */
  dump({ last = 200, about }: { readonly last?: number; readonly about?: string } = {}): string {
    const lines = this.#entries.map(({ atMs, text }) => `${seconds(atMs - this.#startMs)} ${text()}`);
    const chosen = about === undefined ? lines : lines.filter((line) => line.includes(about));
    const left = this.#forgotten + Math.max(0, chosen.length - last);
    return [...left > 0 ? [`... ${left} earlier entries`] : [], ...chosen.slice(-last)].join("\n");
  }

  #add(text: () => string): void {
    this.#entries.push({ atMs: this.#clock.monotonicMs(), text });
    if (this.#entries.length < 2 * LIMIT) return;
    this.#forgotten += LIMIT;
    this.#entries.splice(0, LIMIT);
  }
}

function describeWrite({ type, collection, key, revision, object, previous }: Write): string {
  if (type === "ADDED" && collection === "events") return `event    ${describeEvent(object as typeof object & Event)}`;
  const fields = previous && type === "MODIFIED" ? changedPaths(previous, object) : [];
  const more = fields.length > MOST_FIELDS ? `, and ${fields.length - MOST_FIELDS} more` : "";
  const what = fields.length > 0 ? `: ${fields.slice(0, MOST_FIELDS).join(", ")}${more}` : "";
  return `${type.toLowerCase().padEnd(8)} ${collection} ${key} rv=${revision}${what}`;
}

function describeEvent({ involvedObject, type, reason, message, count }: Event): string {
  const times = count && count > 1 ? ` (x${count})` : "";
  return `${type} ${reason} ${involvedObject.kind} ${objectKey({ metadata: involvedObject })}: ${message}${times}`;
}

function describeSync({ controller, key, record }: JournalEntry): string {
  const { causes: { texts: causes }, waitedMs, durationMs, outcome, error } = record;
  const why = causes.length > 0 ? ` because ${causes.map((cause) => JSON.stringify(cause)).join(", ")}` : "";
  const times = `waited ${waitedMs} ms, took ${durationMs} ms`;
  const end = outcome === "done" ? "" : ` -> ${outcome}: ${error}`;
  return `sync     ${controller} ${key} (${times})${why}${end}`;
}

/** The last part of a `User-Agent` is a controller's name. */
function clientOf(request: Request): string {
  return (request.headers.get("user-agent") ?? "somebody").split("/").at(-1)!;
}

async function messageOf(response: Response): Promise<string> {
  try {
    return (await response.json()).message ?? "";
  } catch {
    return "(no Status)";
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`.padStart(12);
}

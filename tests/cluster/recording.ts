/**
 * What upstream's manager has left behind of the scenarios of one area: JSON Lines in `recordings/`, one object or event a line, so that
 * a change can be read. What comes twice is written once, as a part that is named by its content. `deno task parity:record` writes them,
 * of those scenarios only that have changed.
 */
import { fromFileUrl } from "@std/path";
import { parseJson, stringifyJson } from "../../src/base/mod.ts";
import { pinnedVersion } from "../controlplane/binaries.ts";
import type { Snapshot } from "../scenarios/snapshot.ts";
import { type Part, Parts, withParts } from "./recording_parts.ts";

const FOLDER = fromFileUrl(new URL("./recordings/", import.meta.url));

/** How both managers were started, and what was compared: another recording is needed where that changes. */
export interface Circumstances {
  readonly flags: readonly string[];
  /** Controllers that neither ran. */
  readonly without: readonly string[];
  readonly resources: readonly string[];
}

interface Recorded extends Snapshot {
  /** What the scenario was made of. */
  readonly source: string;
}

type Line =
  | Circumstances & { readonly version: string }
  | { readonly scenario: string; readonly source: string }
  | { readonly object: unknown; readonly times?: number }
  | { readonly event: string }
  | Part;

export class Recording {
  readonly #path: string;
  readonly #header: string;
  readonly #scenarios = new Map<string, Recorded>();

  private constructor(area: string, header: string) {
    this.#path = `${FOLDER}${area}.jsonl`;
    this.#header = header;
  }

  /** That of `area`; empty if there is none, or one of another version or other circumstances. */
  static async read(area: string, { flags, without, resources }: Circumstances): Promise<Recording> {
    const header = stringifyJson({ version: await pinnedVersion(), flags, without, resources } satisfies Line);
    const recording = new Recording(area, header);
    const text = await Deno.readTextFile(recording.#path).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return "";
      throw error;
    });
    const [first, ...lines] = text.trimEnd().split("\n");
    if (first === header) recording.#take(lines.map((line) => parseJson(line) as Line));
    return recording;
  }

  /** What was left behind of the scenario; `undefined` if it was not recorded, or has changed. */
  get(name: string, source: string): Snapshot | undefined {
    const recorded = this.#scenarios.get(name);
    return recorded?.source === source ? recorded : undefined;
  }

  set(name: string, source: string, { objects, events }: Snapshot): void {
    this.#scenarios.set(name, { source, objects, events });
  }

  /** Writes the scenarios called `names`, in this order; others are forgotten. */
  async write(names: readonly string[]): Promise<void> {
    const scenarios = names.flatMap((name) => {
      const recorded = this.#scenarios.get(name);
      return recorded ? [{ name, ...recorded }] : [];
    });
    const parts = new Parts(scenarios.flatMap(({ objects }) => objects));
    const lines = scenarios.flatMap(({ name, source, objects, events }): Line[] => [
      { scenario: name, source },
      ...counted(objects.map((object) => parts.without(object))),
      ...events.map((event) => ({ event })),
    ]);
    const all = [...lines, ...parts.all()].map((line) => stringifyJson(line));
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(this.#path, [this.#header, ...all, ""].join("\n"));
  }

  #take(lines: readonly Line[]): void {
    const parts = new Map(lines.flatMap((line) => "part" in line ? [[line.part, line.value] as const] : []));
    let objects: unknown[] = [];
    let events: string[] = [];
    for (const line of lines) {
      if ("scenario" in line) this.set(line.scenario, line.source, { objects: objects = [], events: events = [] });
      else if ("object" in line) objects.push(...Array(line.times ?? 1).fill(withParts(line.object, parts)));
      else if ("event" in line) events.push(line.event);
    }
  }
}

/** Pods of one owner are alike, and written once. */
function counted(objects: readonly unknown[]): Line[] {
  const counts = new Map<string, number>();
  for (const text of objects.map(stringifyJson)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, times]) => ({ object: parseJson(text), ...times > 1 ? { times } : {} }));
}

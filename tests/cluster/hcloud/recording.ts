/** What the vendor's manager has left behind of scenarios: JSON Lines in `../recordings_of_hcloud.jsonl`. */
import { fromFileUrl } from "@std/path";
import type { Outcome } from "./outcome.ts";

const PATH = fromFileUrl(new URL("../recordings_of_hcloud.jsonl", import.meta.url));

type Line =
  | { readonly scenario: string }
  | { readonly call: string }
  | { readonly object: unknown }
  | { readonly resource: Outcome["resources"][number] }
  | { readonly event: string };

export async function readRecording(): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, { [K in keyof Outcome]: Outcome[K][number][] }>();
  let last: { [K in keyof Outcome]: Outcome[K][number][] } | undefined;
  for (const text of (await Deno.readTextFile(PATH)).trimEnd().split("\n")) {
    const line = JSON.parse(text) as Line;
    if ("scenario" in line) outcomes.set(line.scenario, last = { calls: [], objects: [], resources: [], events: [] });
    else if ("call" in line) last!.calls.push(line.call);
    else if ("object" in line) last!.objects.push(line.object);
    else if ("resource" in line) last!.resources.push(line.resource);
    else last!.events.push(line.event);
  }
  return outcomes as unknown as ReadonlyMap<string, Outcome>;
}

export async function writeRecording(outcomes: ReadonlyMap<string, Outcome>): Promise<void> {
  const lines = [...outcomes].flatMap(([scenario, { calls, objects, resources, events }]): Line[] => [
    { scenario },
    ...calls.map((call) => ({ call })),
    ...objects.map((object) => ({ object })),
    ...resources.map((resource) => ({ resource })),
    ...events.map((event) => ({ event })),
  ]);
  await Deno.writeTextFile(PATH, [...lines.map((line) => JSON.stringify(line)), ""].join("\n"));
}

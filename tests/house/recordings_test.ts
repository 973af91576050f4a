/** What was recorded of upstream's programs is what a run of the cluster tests would record: told here before a cluster is started. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseJson } from "../../src/base/mod.ts";
import { CHAPTERS } from "../cluster/kubectl_embedded/chapters.ts";
import {
  fileOf,
  FOLDER as CHAPTERS_FOLDER,
  howToRecord,
  readRecording,
} from "../cluster/kubectl_embedded/recording.ts";
import { type Chapter, normalised } from "../cluster/kubectl_embedded/step.ts";
import { Parts, withParts } from "../cluster/recording_parts.ts";
import { ScenarioSources } from "../cluster/scenario_sources.ts";
import { pinnedVersion } from "../controlplane/binaries.ts";

const FOLDER = fromFileUrl(new URL("../cluster/recordings/", import.meta.url));
const ANEW = "remove what is listed and run `deno task parity:record`";

/** The recordings' lines, by their files' names. */
async function recordings(): Promise<Map<string, Record<string, unknown>[]>> {
  const found = new Map<string, Record<string, unknown>[]>();
  for await (const { name } of Deno.readDir(FOLDER)) {
    const text = await Deno.readTextFile(FOLDER + name);
    found.set(name, text.trimEnd().split("\n").map((line) => parseJson(line) as Record<string, unknown>));
  }
  return found;
}

Deno.test("every recording is of the pinned version, and of scenarios as they are", async () => {
  const version = await pinnedVersion();
  const sources = await ScenarioSources.read();
  const outOfDate: string[] = [];
  let scenarios = 0;
  for (const [file, [header, ...lines]] of await recordings()) {
    if (header.version !== version) outOfDate.push(`${file}: ${header.version}`);
    for (const { scenario, source } of lines) {
      if (scenario === undefined) continue;
      scenarios++;
      if (await sources.digestOf(String(scenario)) !== source) outOfDate.push(`${file}: ${scenario}`);
    }
  }
  assert(scenarios > 200, `${scenarios} scenarios are recorded`);
  assertEquals(outOfDate, [], ANEW);
});

Deno.test("every part of a recording is there, and used", async () => {
  for (const [file, lines] of await recordings()) {
    const parts = new Map(
      lines.flatMap(({ part, value }) => part === undefined ? [] : [[String(part), value] as const]),
    );
    const text = JSON.stringify(lines.map((line) => line.part === undefined ? line : line.value));
    assertEquals(new Set(text.match(/<part \w+>/g)), new Set(parts.keys()), file);
  }
});

Deno.test("what is recorded of a scenario is of no other one: it has one namespace", async () => {
  const mixed: string[] = [];
  for (const [file, lines] of await recordings()) {
    const parts = new Map(
      lines.flatMap(({ part, value }) => part === undefined ? [] : [[String(part), value] as const]),
    );
    const namespaces = new Map<string, number>();
    let scenario = "";
    for (const line of lines) {
      scenario = String(line.scenario ?? scenario);
      const object = withParts(line.object, parts) as { readonly kind?: string } | undefined;
      if (object?.kind !== "Namespace") continue;
      namespaces.set(scenario, (namespaces.get(scenario) ?? 0) + Number(line.times ?? 1));
    }
    for (const [name, count] of namespaces) if (count > 1) mixed.push(`${file}: ${name}`);
  }
  assertEquals(mixed, [], ANEW);
});

Deno.test("what is written with parts is read as it was", () => {
  const long = { text: "x".repeat(100), list: [1, { deep: "y".repeat(100) }] };
  const values = [{ a: long, b: 1 }, { a: long, c: [long.list] }, null, "text"];
  const parts = new Parts(values);
  const written = values.map((value) => parts.without(value));
  assertNotEquals(written, values);
  const read = new Map(parts.all().map(({ part, value }) => [part, value]));
  assertEquals(written.map((value) => withParts(value, read)), values);
});

Deno.test("every chapter of kubectl's commands is recorded as it is, and as it would be compared", async () => {
  const outOfDate: Chapter[] = [];
  for (const chapter of CHAPTERS) {
    const printed = await readRecording(chapter);
    if (!printed?.every(({ text }) => normalised(text) === text)) outOfDate.push(chapter);
  }
  assertEquals(outOfDate.map(({ name }) => name), [], howToRecord(outOfDate));
  const files = Array.from(Deno.readDirSync(CHAPTERS_FOLDER), ({ name }) => name);
  assertEquals(files.sort(), CHAPTERS.map(fileOf).sort());
});

Deno.test("a chapter that has changed is not recorded, be it in an expression alone", async () => {
  const [{ steps: [first, ...others], ...chapter }] = CHAPTERS;
  assert(await readRecording({ ...chapter, steps: [{ ...first }, ...others] }));
  for (const prints of [/one/, /another/, String(first.prints)]) {
    assertEquals(await readRecording({ ...chapter, steps: [{ ...first, prints }, ...others] }), undefined);
  }
  assertEquals(await readRecording({ ...chapter, steps: others }), undefined);
});

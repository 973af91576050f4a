// deno-lint-ignore-file no-console -- what had to be played once more is worth knowing
/**
 * Scenarios under our manager, on a real server; the objects that result, who owns which field, and the events are compared field by
 * field with what upstream's manager has left behind of the same scenarios.
 *
 * Upstream's side is recorded. A sample of it, one in a dozen, is played anew in each run, another one for each commit: a run that fails
 * fails again. `KUBELOOP_PARITY=live` plays all of it anew, `record` only records it.
 */
import { assertEquals } from "@std/assert";
import { stripAnsiCode } from "@std/fmt/colors";
import { parseJson, stringifyJson } from "../../src/base/mod.ts";
import { MISSING_CONTROLLERS } from "../controlplane/manager.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Snapshot } from "../scenarios/snapshot.ts";
import { type Cluster, clusterTest, PARITY } from "./cluster.ts";
import { managerFlags, type Outcomes, playAll, type PlayOptions } from "./playing.ts";
import { type Circumstances, Recording } from "./recording.ts";
import { sampleOfArea } from "./sample.ts";
import { ScenarioSources } from "./scenario_sources.ts";

export interface ParityOptions extends PlayOptions {
  /** What the recording is called. */
  readonly area: string;
  /** Starts another cluster, where upstream plays meanwhile: for scenarios that mostly wait. By default the same one, afterwards. */
  readonly beside?: () => Promise<Cluster>;
}

/** A test that calls {@link assertParity}, once. */
export function parityTest(name: string, fn: () => Promise<void>): void {
  clusterTest(name, fn, { records: true });
}

/**
 * Plays every scenario under kubeloop, and under upstream's manager what this commit has sampled. Those that differ from what was
 * recorded are played again under both, three times at most: a race that a scenario leaves open goes either way, what a manager does
 * otherwise differs again. What counts then is that the managers agree with each other; that a recording is out of date is told.
 *
 * @throws {Error} With everything in which the two managers differ.
 */
export async function assertParity(cluster: Cluster, options: ParityOptions): Promise<void> {
  if (PARITY === "record") return await record(cluster, options);
  const { area, scenarios } = options;
  const recorded = PARITY === "live" ? undefined : await recordedOutcomes(options);
  const sample = recorded ? await sampleOfArea(area, scenarios, ({ name }) => name) : scenarios;
  const first = await playBoth(cluster, options, { sample });
  const upstreamDiffers = (name: string) =>
    recorded && first.theirs.has(name) ? difference(first.theirs.get(name), recorded.get(name)) : "";
  const oursDiffers = ({ ours, theirs }: Both, name: string) =>
    difference(ours.get(name), recorded ? recorded.get(name) : theirs.get(name));
  let differing = scenarios.filter(({ name }) => (oursDiffers(first, name) || upstreamDiffers(name)) !== "");
  for (const { name } of differing) {
    console.log(
      `Played again, since it differed: ${name}: ${changes(oursDiffers(first, name) || upstreamDiffers(name))}`,
    );
  }
  let texts: readonly string[] = [];
  for (const round of [2, 3, 4]) {
    if (differing.length === 0) return;
    const again = await playBoth(cluster, { ...options, scenarios: differing }, { sample: differing, round });
    const apart = (name: string) => difference(again.ours.get(name), again.theirs.get(name));
    differing = differing.filter(({ name }) => {
      if (apart(name) !== "") return (oursDiffers(again, name) || upstreamDiffers(name)) !== "";
      if (recorded && oursDiffers(again, name) !== "") console.log(outOfDate(name, oursDiffers(again, name), options));
      return false;
    });
    texts = differing.map(({ name }) => `${name}: ${apart(name)}`);
  }
  if (texts.length > 0) throw new Error(`${texts.length} of ${scenarios.length} differ:\n${texts.join("\n\n")}`);
}

function outOfDate(name: string, text: string, options: ParityOptions): string {
  return `Both managers leave something else behind of ${name} than was recorded; to have it again, remove ${options.area}.jsonl and ${
    howToRecord(options)
  }: ${changes(text)}`;
}

/** Has upstream's manager play what has no recording of what it is now. */
async function record(cluster: Cluster, options: ParityOptions): Promise<void> {
  const recording = await Recording.read(options.area, circumstances(options));
  const sources = await digests(options.scenarios);
  const scenarios = options.scenarios.filter(({ name }) => !recording.get(name, sources.get(name)!));
  const none: Outcomes = new Map();
  const outcomes = scenarios.length > 0
    ? await playAll(cluster, { ...options, scenarios }, { kind: "upstream" })
    : none;
  for (const [name, outcome] of outcomes) {
    if (!(outcome instanceof Error)) recording.set(name, sources.get(name)!, outcome);
  }
  await recording.write(options.scenarios.map(({ name }) => name));
  const failed = [...outcomes.values()].filter((outcome) => outcome instanceof Error);
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${scenarios.length} came to no end`);
}

async function recordedOutcomes(options: ParityOptions): Promise<Outcomes> {
  const recording = await Recording.read(options.area, circumstances(options));
  const found = new Map<string, Snapshot>();
  const missing: string[] = [];
  for (const [name, source] of await digests(options.scenarios)) {
    const snapshot = recording.get(name, source);
    if (snapshot) found.set(name, snapshot);
    else missing.push(name);
  }
  if (missing.length === 0) return found;
  throw new Error(
    `Of ${missing} it is not recorded what upstream leaves behind, or they have changed since: ${howToRecord(options)}`,
  );
}

function howToRecord({ area }: ParityOptions): string {
  return `record it with \`deno task parity:record\`, and look at what changes in tests/cluster/recordings/${area}.jsonl`;
}

async function digests(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, string>> {
  const sources = await ScenarioSources.read();
  return new Map(await Promise.all(scenarios.map(async ({ name }) => [name, await sources.digestOf(name)] as const)));
}

function circumstances(options: ParityOptions): Circumstances {
  const resources = (options.resources ?? []).map(({ plural }) => plural);
  const without = options.component === "cloud-controller-manager" ? [] : MISSING_CONTROLLERS.toSorted();
  return { flags: managerFlags(options), without, resources };
}

interface Both {
  readonly ours: Outcomes;
  /** Of the sample. */
  readonly theirs: Outcomes;
}

/** Plays all scenarios under kubeloop, and `sample` under upstream's manager. */
async function playBoth(
  cluster: Cluster,
  options: ParityOptions,
  { sample, round }: { readonly sample: readonly Scenario[]; readonly round?: number },
): Promise<Both> {
  const ours = (on: Cluster) => playAll(on, options, { kind: "kubeloop", round });
  const theirs = (on: Cluster) => playAll(on, { ...options, scenarios: sample }, { kind: "upstream", round });
  if (sample.length === 0) return { ours: await ours(cluster), theirs: new Map() };
  if (!options.beside) return { ours: await ours(cluster), theirs: await theirs(cluster) };
  await using beside = await options.beside();
  const [own, upstream] = await Promise.all([ours(cluster), theirs(beside)]);
  return { ours: own, theirs: upstream };
}

/** In what two outcomes differ; empty if they do not. */
function difference(one: Snapshot | Error | undefined, other: Snapshot | Error | undefined): string {
  if (!one || !other || one instanceof Error || other instanceof Error) {
    return [one, other].map((outcome) => outcome instanceof Error ? outcome.message : outcome ? "ok" : "none").join(
      "; ",
    );
  }
  try {
    assertEquals(comparable(one), comparable(other));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The first of the lines in which two snapshots differ. */
function changes(text: string): string {
  const lines = text.split("\n").filter((line) => /^[-+] /.test(stripAnsiCode(line)));
  return lines.length > 0 ? lines.slice(0, 20).join("\n") : text;
}

/** As it is written down, and in one order. */
function comparable({ objects, events }: Snapshot): Snapshot {
  return { objects: objects.map(stringifyJson).sort().map(parseJson), events };
}

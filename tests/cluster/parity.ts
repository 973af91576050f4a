// deno-lint-ignore-file no-console -- what had to be played once more is worth knowing
/**
 * The same scenarios under upstream's manager and under ours, on one server; the objects that result, who owns which field,
 * and the events are compared field by field.
 */
import { assertEquals } from "@std/assert";
import { parallelize } from "../../src/base/mod.ts";
import { EVENTS, type Resource } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";
import type { Cluster } from "./cluster.ts";

export interface ParityOptions {
  readonly scenarios: readonly Scenario[];
  /** Controllers that run besides the usual ones. */
  readonly controllers?: readonly string[];
  /** Further flags of both managers. */
  readonly flags?: readonly string[];
  /** Resources that are compared besides the usual ones. */
  readonly resources?: readonly Resource[];
  /** Called once a manager has played all scenarios and told all events; it still runs. */
  readonly atRest?: (kind: ManagerKind) => Promise<void>;
  /** Scenarios at once: enough to be quick, few enough not to slow each other beyond their deadlines. Default 8. */
  readonly parallel?: number;
  /** Another cluster, where kubeloop plays meanwhile: for scenarios that mostly wait. By default the same one, afterwards. */
  readonly beside?: Cluster;
}

/**
 * Plays every scenario under both managers. Those that differ are played once more: a race that a scenario leaves open goes
 * either way, what a manager does otherwise differs again.
 *
 * @throws {Error} With everything in which the two managers differ.
 */
export async function assertParity(cluster: Cluster, options: ParityOptions): Promise<void> {
  const first = await differences(cluster, options);
  if (first.size === 0) return;
  for (const [name, text] of first) console.log(`Played once more, since it differed: ${name}: ${text}`);
  const scenarios = options.scenarios.filter(({ name }) => first.has(name));
  const found = await differences(cluster, { ...options, scenarios }, "-again");
  if (found.size === 0) return;
  const texts = [...found].map(([name, text]) => `${name}: ${text}`);
  throw new Error(`${found.size} of ${options.scenarios.length} differ:\n${texts.join("\n\n")}`);
}

/** What differs, by the scenarios' names. */
async function differences(cluster: Cluster, options: ParityOptions, suffix = ""): Promise<Map<string, string>> {
  const theirs = () => runAll(cluster, options, { kind: "upstream", suffix });
  const ours = () => runAll(options.beside ?? cluster, options, { kind: "kubeloop", suffix });
  const [upstream, kubeloop] = options.beside ? await Promise.all([theirs(), ours()]) : [await theirs(), await ours()];
  const found = new Map<string, string>();
  for (const { name, eventsDiffer } of options.scenarios) {
    const [theirs, ours] = [upstream.get(name), kubeloop.get(name)];
    if (!theirs || !ours || theirs instanceof Error || ours instanceof Error) {
      const outcome = (of: typeof ours) => of instanceof Error ? of.message : "ok";
      found.set(name, `upstream: ${outcome(theirs)}; kubeloop: ${outcome(ours)}`);
      continue;
    }
    try {
      assertEquals(ours.objects, theirs.objects);
      if (!eventsDiffer) assertEquals(ours.events, theirs.events);
    } catch (error) {
      found.set(name, (error as Error).message);
    }
  }
  return found;
}

async function runAll(
  cluster: Cluster,
  { scenarios, controllers = [], flags: moreFlags = [], resources, atRest, parallel = 8 }: ParityOptions,
  { kind, suffix }: { readonly kind: ManagerKind; readonly suffix: string },
): Promise<Map<string, Snapshot | Error>> {
  const flags = [...controllers.length > 0 ? [`--controllers=${controllers.join(",")}`] : [], ...moreFlags];
  const manager = await startManager(cluster.plane, kind, { flags });
  const failures = new Map<string, Error>();
  await parallelize(parallel, scenarios.length, async (i) => {
    const { name, run } = scenarios[i];
    try {
      await run(await cluster.namespace(`${kind}-${name}${suffix}`));
    } catch (error) {
      failures.set(name, error as Error);
    }
  });
  await allEventsWritten(cluster);
  await atRest?.(kind);
  const results = new Map<string, Snapshot | Error>(failures);
  for (const { name } of scenarios) {
    if (failures.has(name)) continue;
    results.set(name, await snapshot(cluster.client, `${kind}-${name}${suffix}`, { resources }));
  }
  await manager.process.stop();
  await dropLease(cluster.plane);
  return results;
}

/** Managers write events behind their work: waits until no new one has come for a while; old ones may be repeated for good. */
async function allEventsWritten(cluster: Cluster): Promise<void> {
  let last = "";
  let same = 0;
  await eventually("no new event has come for 3 s", async () => {
    const { items } = await cluster.client.listMetadata(EVENTS, {});
    const now = items.map((item) => item.metadata?.uid).join();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 3;
  }, { everyMs: 1_000 });
}

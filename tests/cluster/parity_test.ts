/**
 * The same scenarios under upstream's manager and under ours, on one server; the objects that result, who owns which field,
 * and the events are compared field by field.
 */
import { assertEquals } from "@std/assert";
import { EVENTS } from "../../src/api/mod.ts";
import { parallelize } from "../../src/base/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { SCENARIOS } from "../scenarios/scenarios.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";

/** Scenarios at once: enough to be quick, few enough not to slow each other beyond their deadlines. */
const PARALLEL = 8;

async function runAll(cluster: Cluster, kind: ManagerKind): Promise<Map<string, Snapshot | Error>> {
  const manager = await startManager(cluster.plane, kind);
  const failures = new Map<string, Error>();
  await parallelize(PARALLEL, SCENARIOS.length, async (i) => {
    const { name, run } = SCENARIOS[i];
    try {
      await run(await cluster.namespace(`${kind}-${name}`));
    } catch (error) {
      failures.set(name, error as Error);
    }
  });
  await allEventsWritten(cluster);
  const results = new Map<string, Snapshot | Error>(failures);
  for (const { name } of SCENARIOS) {
    if (!failures.has(name)) results.set(name, await snapshot(cluster.client, `${kind}-${name}`));
  }
  await manager.process.stop();
  await dropLease(cluster.plane);
  return results;
}

/** Managers write events behind their work: waits until none has come for a while. */
async function allEventsWritten(cluster: Cluster): Promise<void> {
  let last = "";
  let same = 0;
  await eventually("no event has come for 3 s", async () => {
    const { items } = await cluster.client.listMetadata(EVENTS, {});
    const now = items.map((item) => item.metadata?.resourceVersion).join();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 3;
  }, { everyMs: 1_000 });
}

clusterTest("kubeloop leaves the same objects and events behind as upstream's manager", async () => {
  await using cluster = await Cluster.start();
  const upstream = await runAll(cluster, "upstream");
  const kubeloop = await runAll(cluster, "kubeloop");
  const differences: string[] = [];
  for (const { name, eventsDiffer } of SCENARIOS) {
    const [theirs, ours] = [upstream.get(name), kubeloop.get(name)];
    if (theirs instanceof Error || ours instanceof Error) {
      differences.push(
        `${name}: upstream: ${theirs instanceof Error ? theirs.message : "ok"}; kubeloop: ${
          ours instanceof Error ? ours.message : "ok"
        }`,
      );
      continue;
    }
    try {
      assertEquals(ours!.objects, theirs!.objects);
      if (!eventsDiffer) assertEquals(ours!.events, theirs!.events);
    } catch (error) {
      differences.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (differences.length > 0) {
    throw new Error(`${differences.length} of ${SCENARIOS.length} differ:\n${differences.join("\n\n")}`);
  }
});

/**
 * The same scenarios under upstream's manager and under ours, on one server; the objects that result, who owns which field,
 * and the events are compared field by field.
 */
import { assertEquals } from "@std/assert";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { type Scenario, SCENARIOS } from "../scenarios/scenarios.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";

/** Scenarios at once: enough to be quick, few enough not to slow each other beyond their deadlines. */
const PARALLEL = 8;

async function runAll(cluster: Cluster, kind: ManagerKind): Promise<Map<string, Snapshot | Error>> {
  const manager = await startManager(cluster.plane, kind);
  const results = new Map<string, Snapshot | Error>();
  const waiting = [...SCENARIOS];
  const worker = async () => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      results.set(scenario.name, await runOne(cluster, `${kind}-${scenario.name}`, scenario));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  await manager.process.stop();
  await dropLease(cluster.plane);
  return results;
}

async function runOne(cluster: Cluster, namespace: string, scenario: Scenario): Promise<Snapshot | Error> {
  try {
    const kit = await cluster.namespace(namespace);
    await scenario.run(kit);
    return await snapshot(cluster.client, namespace);
  } catch (error) {
    return error as Error;
  }
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

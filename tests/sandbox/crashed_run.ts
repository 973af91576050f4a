/** A scenario on the embedded API server whose manager is killed at one of its writes, and all that can be seen of it. */
import { type CrashOptions, type TestCluster, type TestClusterOptions, withTestCluster } from "kubeloop/testing";
import { type Event, objectKey } from "../../src/api/mod.ts";
import { sleep } from "../../src/base/mod.ts";
import type { CrashScenario } from "../scenarios/crash_scenarios.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** How long nobody leads after a crash: the lease runs out, and another manager asks for it. */
const DOWN_MS = 17_000;

/** With what the managers of these scenarios run. */
const FLAGS = ["--horizontal-pod-autoscaler-downscale-stabilization=30s"];

/** What came of a scenario. Random parts of names are left out of texts. */
export interface Run {
  /** Writes of its managers. */
  readonly writes: number;
  /** When the manager died, in milliseconds of virtual time; absent if none did. */
  readonly diedMs?: number;
  readonly objects: Snapshot["objects"];
  /** How often objects of such a name were created, those included that are gone. */
  readonly created: Readonly<Record<string, number>>;
  /** When each event was told, in milliseconds of virtual time. */
  readonly events: ReadonlyMap<string, readonly number[]>;
}

/** A scenario, and what its cluster is like. */
export interface Play {
  readonly scenario: CrashScenario;
  readonly options: TestClusterOptions;
}

/** Plays a scenario; without `crash` nothing is killed. */
export function run({ scenario, options }: Play, crash?: CrashOptions): Promise<Run> {
  const flags = [`--controllers=${scenario.controllers}`, ...FLAGS, ...options.flags ?? []];
  return withTestCluster({ ...options, flags }, async (cluster) => {
    const namespace = await cluster.namespace("crash");
    await cluster.settle();
    const notes = takeNotes(cluster);
    const before = cluster.managerWrites;
    const death = crash && crashAndRestart(cluster, crash);
    const kit = kitOf(cluster, namespace);
    await scenario.run(kit, cluster.metrics);
    if (death) await cluster.eventually("another manager runs", () => death.isOver);
    await cluster.settle();
    const { objects } = await snapshot(cluster.client, namespace, { resources: scenario.resources });
    return { writes: cluster.managerWrites - before, diedMs: death?.diedMs, objects, ...notes };
  });
}

interface Death {
  diedMs?: number;
  isOver: boolean;
}

/** Has the manager die, and another one start after a while. */
function crashAndRestart(cluster: TestCluster, crash: CrashOptions): Death {
  const { clock } = cluster.world;
  const death: Death = { isOver: false };
  void cluster.crashManager(crash).then(async () => {
    death.diedMs = clock.monotonicMs();
    await sleep(clock, DOWN_MS);
    cluster.startManager();
    death.isOver = true;
  });
  return death;
}

/** Follows what is created and told from now on. */
function takeNotes({ apiServer, world: { clock } }: TestCluster): Pick<Run, "created" | "events"> {
  const created: Record<string, number> = {};
  const events = new Map<string, number[]>();
  apiServer.onWrite(({ type, collection, key, object }) => {
    if (collection === "events") {
      const text = describe(object as typeof object & Event);
      events.set(text, [...events.get(text) ?? [], clock.monotonicMs()]);
    } else if (type === "ADDED" && collection !== "leases.coordination.k8s.io") {
      const text = `${collection} ${plain(key)}`;
      created[text] = (created[text] ?? 0) + 1;
    }
  });
  return { created, events };
}

function describe({ involvedObject, reason, message = "" }: Event): string {
  const { kind, namespace, name } = involvedObject;
  return plain(`${kind} ${objectKey({ metadata: { namespace, name } })} ${reason} ${message}`);
}

/** Without the random ends of names. */
function plain(text: string): string {
  return text.replace(/-[a-z0-9]{5}(?![a-z0-9-])/g, "-<random>");
}

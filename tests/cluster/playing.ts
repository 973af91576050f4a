/** Scenarios, played under one manager on a real server. */
import { encodeBase64Url } from "@std/encoding/base64url";
import { createHash, createPublicKey } from "node:crypto";
import { parallelize } from "../../src/base/mod.ts";
import { EVENTS, type Resource } from "../../src/api/mod.ts";
import { type Component, dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";
import type { Cluster } from "./cluster.ts";

const CLOUD: Component = "cloud-controller-manager";

export interface PlayOptions {
  readonly scenarios: readonly Scenario[];
  /** Controllers that run besides those that are on by default. */
  readonly controllers?: readonly string[];
  /** Further flags of both managers. */
  readonly flags?: readonly string[];
  /** Which manager plays; default kube-controller-manager. */
  readonly component?: Component;
  /** Flags that say the same to both managers, each in its own way. */
  readonly flagsOf?: (kind: ManagerKind) => readonly string[];
  /** Resources that are compared besides the usual ones. */
  readonly resources?: readonly Resource[];
  /** Called once a manager has played all scenarios and told all events; it still runs. */
  readonly atRest?: (kind: ManagerKind) => Promise<void>;
  /** Scenarios at once: enough to be quick, few enough not to slow each other beyond their deadlines. Default 8. */
  readonly parallel?: number;
}

/** Snapshots, or why there is none, by the scenarios' names. */
export type Outcomes = ReadonlyMap<string, Snapshot | Error>;

/** What a manager is started with besides what every manager is. */
export function managerFlags({ controllers = [], flags = [] }: PlayOptions): string[] {
  return [...controllers.length > 0 ? [`--controllers=${controllers.join(",")}`] : [], ...flags];
}

/** Where a scenario is played. In a further round the name is no longer than in the first: scenarios name labels after it. */
function namespaceFor(kind: ManagerKind, name: string, round: number): string {
  return round === 1 ? `${kind}-${name}` : `${kind[0]}${round}-${name}`;
}

/** Plays all scenarios under a manager that is started for it, each in a namespace of its own. */
export async function playAll(
  cluster: Cluster,
  options: PlayOptions,
  { kind, round = 1 }: { readonly kind: ManagerKind; readonly round?: number },
): Promise<Outcomes> {
  const { scenarios, resources, atRest, component = "kube-controller-manager", parallel = 8 } = options;
  const flags = [...managerFlags(options), ...options.flagsOf?.(kind) ?? []];
  const manager = await startManager(cluster.plane, kind, { component, flags });
  const failures = new Map<string, Error>();
  await parallelize(parallel, scenarios.length, async (i) => {
    const { name, run } = scenarios[i];
    try {
      await run(await cluster.namespace(namespaceFor(kind, name, round), { account: component !== CLOUD }));
    } catch (error) {
      failures.set(name, error as Error);
    }
  });
  await allEventsWritten(cluster);
  await atRest?.(kind);
  const results = new Map<string, Snapshot | Error>(failures);
  for (const { name, eventsDiffer } of scenarios) {
    if (failures.has(name)) continue;
    const found = await snapshot(cluster.client, namespaceFor(kind, name, round), {
      resources,
      rename: [[cluster.plane.authority.cert, "<root CA>"], [await keyIdOf(cluster), "<signing key>"]],
    });
    results.set(name, eventsDiffer ? { ...found, events: [] } : found);
  }
  await manager.process.stop();
  await dropLease(cluster.plane, component);
  return results;
}

/** How tokens name the key that signs them, which is another one in each cluster. */
async function keyIdOf({ plane }: Cluster): Promise<string> {
  const key = createPublicKey(await Deno.readTextFile(plane.serviceAccountKeyFile)).export({
    type: "spki",
    format: "der",
  });
  return encodeBase64Url(createHash("sha256").update(key).digest());
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

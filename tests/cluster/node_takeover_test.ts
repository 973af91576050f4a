/** Going from one manager to the other, and back, while evictions wait and nodes are half tainted: no pod goes twice or too early. */
import { assert, assertEquals } from "@std/assert";
import { EVENTS, NODES, parseTime, type Pod, PODS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  addNode,
  addPod,
  nodeName,
  readyOf,
  say,
  silence,
  taint,
  taintsOf,
  untilEvicted,
  untilNode,
  untilTainted,
} from "../scenarios/node_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const FLAGS = [
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=10s",
  "--node-startup-grace-period=10s",
];
const KEY = "example.com/k";
const BRIEF_SECONDS = 6;
const tolerating = (
  tolerationSeconds: number,
) => [{ key: KEY, operator: "Exists", effect: "NoExecute", tolerationSeconds }];

/** Nodes: `well`, `silent` half tainted by hand, `tainted` with pods whose time runs. */
async function begin(kit: Kit): Promise<void> {
  for (const name of ["well", "tainted"]) await addNode(kit, name, { zone: name });
  await addNode(kit, "silent", { zone: "well" });
  for (const name of ["well", "tainted", "silent"]) await untilTainted(kit, name, "");
  await addPod(kit, "brief", { node: "tainted", tolerations: tolerating(BRIEF_SECONDS) });
  await addPod(kit, "patient", { node: "tainted", tolerations: tolerating(3600) });
  await addPod(kit, "at-once", { node: "tainted" });
  await addPod(kit, "on-silent", { node: "silent" });
  silence(kit, "silent");
  await untilNode(kit, "silent", "is found silent", (node) => readyOf(node) === "Unknown");
  await taint(kit, "tainted", { key: KEY, effect: "NoExecute" });
  await untilEvicted(kit, "at-once");
}

async function takeOver(first: ManagerKind, second: ManagerKind): Promise<void> {
  await using cluster = await Cluster.start({ nodes: 0 });
  const before = await startManager(cluster.plane, first, { flags: FLAGS });
  const kit = await cluster.namespace("live");
  await begin(kit);
  await before.process.stop();
  await dropLease(cluster.plane);
  await kit.client.patch(NODES, { name: nodeName(kit, "silent") }, { type: "merge", body: { spec: { taints: null } } });
  const gone = await kit.get(PODS, "at-once");

  await startManager(cluster.plane, second, { flags: FLAGS });
  const tookOverMs = Date.now();
  const brief = await untilEvicted(kit, "brief");
  const deletedMs = parseTime(brief.metadata!.deletionTimestamp!) - 1000 * brief.metadata!.deletionGracePeriodSeconds!;
  assert(deletedMs >= tookOverMs + 1000 * (BRIEF_SECONDS - 2), "its time began anew, or it was gone before");
  await untilTainted(kit, "silent", "unreachable:NoExecute unreachable:NoSchedule");
  await untilTainted(kit, "well", "");
  assertEquals(taintsOf(await kit.get(NODES, nodeName(kit, "tainted"))), `${KEY}:NoExecute`);
  for (const name of ["patient", "on-silent"]) assertEquals(isGoing(await kit.get(PODS, name)), false, name);
  const after = await kit.get(PODS, "at-once");
  assertEquals(after.metadata?.deletionTimestamp, gone.metadata?.deletionTimestamp);
  const { items } = await kit.client.list(EVENTS, {
    namespace: kit.namespace,
    fieldSelector: "reason=TaintManagerEviction",
  });
  const told = new Set(items.map(({ involvedObject }) => involvedObject?.name));
  assertEquals([...told].sort(), ["at-once", "brief"]);
  await say(kit, "silent", { Ready: "True" });
  await untilTainted(kit, "silent", "");
}

function isGoing({ metadata }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

for (const [first, second] of [["upstream", "kubeloop"], ["kubeloop", "upstream"]] as const) {
  clusterTest(
    `${second} takes over from ${first} while evictions wait: no pod goes twice or too early`,
    () => takeOver(first, second),
  );
}

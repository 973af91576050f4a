/** What nodes and their machines go through while the controllers that ask the cloud about them are killed. */
import { CONFIGMAPS, findCondition, type Node, NODES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import { taintsOf } from "./node_kit.ts";

/** By which simulated machines are stopped and removed. */
const MACHINE = "kubeloop.dev/machine";
/** What a manager finds that is started after one that died had told of it. */
const FOUND_ANEW = "the manager that died may have told it before it did it";

function until(kit: Kit, name: string, what: string, holds: (node: Node) => unknown): Promise<Node> {
  return kit.until(NODES, name, what, (node) => Promise.resolve(holds(node)));
}

function isWell(node: Node): boolean {
  const { metadata, spec, status } = node;
  return taintsOf(node) === "" && spec?.providerID === `simulated://${metadata?.name}` &&
    findCondition(status?.conditions, "Ready")?.status === "True" &&
    metadata?.labels?.["topology.kubernetes.io/zone"] !== undefined;
}

async function setMachine(kit: Kit, name: string, state: "stopped" | "removed" | null): Promise<void> {
  const body = { metadata: { annotations: { [MACHINE]: state } } };
  await kit.client.patch(NODES, { name }, { type: "merge", body });
}

async function writeDown(kit: Kit, names: readonly string[]): Promise<void> {
  const nodes = await Promise.all(names.map((name) => kit.get(NODES, name)));
  const data = Object.fromEntries(nodes.map(({ metadata, spec, status }) => {
    const { providerID, taints = [] } = spec ?? {};
    const seen = { labels: metadata?.labels, providerID, taints, addresses: status?.addresses };
    return [metadata!.name!, JSON.stringify(seen)];
  }));
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nodes" }, data });
}

/** What they are started with. */
export const CLOUD_CRASH_FLAGS: readonly string[] = [
  "--node-monitor-period=2s",
  "--node-monitor-grace-period=20s",
];

export const CLOUD_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "machines",
    controllers: [
      "cloud-node-controller",
      "cloud-node-lifecycle-controller",
      "node-lifecycle-controller",
    ],
    resources: [],
    mayTell: new Map([
      [/RegisteredNode/, FOUND_ANEW],
      [/RemovingNode/, FOUND_ANEW],
      [/DeletingNode/, FOUND_ANEW],
      [/NodeNotReady/, FOUND_ANEW],
    ]),
    run: async (kit) => {
      for (const name of ["node-0", "node-1", "node-2"]) await until(kit, name, "is well", isWell);
      await setMachine(kit, "node-0", "stopped");
      await until(kit, "node-0", "is shut down", (node) => taintsOf(node).includes("shutdown"));
      await setMachine(kit, "node-1", "removed");
      await kit.untilGone(NODES, "node-1");
      await setMachine(kit, "node-0", null);
      await until(kit, "node-0", "is well again", isWell);
      await writeDown(kit, ["node-0", "node-2"]);
    },
  },
];

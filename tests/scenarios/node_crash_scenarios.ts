/** What nodes go through while the controllers that look after them are killed. */
import { CONFIGMAPS, type Node, NODES } from "../../src/api/mod.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  nodeName,
  readyOf,
  say,
  silence,
  taint,
  taintsOf,
  untaint,
  untilEvicted,
  untilNode,
  untilTainted,
  untilUnready,
  wake,
} from "./node_kit.ts";
import { patience } from "./node_lifecycle_scenarios.ts";

const TTL = "node.alpha.kubernetes.io/ttl";
const UNREACHABLE = "unreachable:NoExecute unreachable:NoSchedule";
const OWN_TAINT = { key: "example.com/k", effect: "NoExecute" };
/** A manager greets all nodes when it begins, and finds anew what the one before had found. */
const FOUND_ANEW = "the manager that died had told it, and nothing shows it to the next one";

/** Registers a node, and waits until each controller has done its part. */
async function register(kit: Kit, name: string, zone?: string): Promise<void> {
  await addNode(kit, name, { zone, labels: { "kubernetes.io/os": "linux" } });
  await untilWellKept(kit, name);
}

/** Waits until nothing is missing on a node; a kubelet says so again where somebody else has said that it is not ready. */
async function untilWellKept(kit: Kit, name: string): Promise<void> {
  await untilNode(kit, name, "is ready, has a range, a TTL and its old label, and no taint", async (node) => {
    if (readyOf(node) === "Unknown") await say(kit, name, { Ready: "True" });
    return isWellKept(node);
  });
}

function isWellKept(node: Node): boolean {
  const { metadata, spec } = node;
  return readyOf(node) === "True" && taintsOf(node) === "" && spec?.podCIDRs?.length === 2 &&
    metadata?.annotations?.[TTL] === "0" &&
    metadata.labels?.["beta.kubernetes.io/os"] === "linux";
}

/** Writes down what has come of the nodes, which are in no namespace. */
async function writeDown(kit: Kit, names: readonly string[]): Promise<void> {
  const nodes = await Promise.all(names.map((name) => kit.get(NODES, nodeName(kit, name))));
  const data = Object.fromEntries(
    nodes.map(({ metadata, spec, status }) => {
      const conditions = status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
      const { podCIDR, podCIDRs = [], taints = [] } = spec ?? {};
      const ranges = [podCIDR === podCIDRs[0], podCIDRs.length]; // which ones depends on who came first
      const seen = { labels: metadata?.labels, annotations: metadata?.annotations, ranges, taints };
      return [metadata!.name!, JSON.stringify({ ...seen, conditions })];
    }),
  );
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nodes" }, data });
}

/** What they are started with. */
export const NODE_CRASH_FLAGS: readonly string[] = [
  "--allocate-node-cidrs",
  "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
  "--service-cluster-ip-range=10.96.0.0/16",
  "--node-monitor-period=2s",
  "--node-monitor-grace-period=20s",
];

export const NODE_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "nodes",
    controllers: ["node-lifecycle-controller", "taint-eviction-controller", "node-ipam-controller", "ttl-controller"],
    resources: [],
    mayTell: new Map([
      [/RegisteredNode/, FOUND_ANEW],
      [/RemovingNode/, "whoever takes them away afterwards is no part of it"],
      [/TaintManagerEviction/, FOUND_ANEW],
      [/NodeNotReady Node is not ready/, FOUND_ANEW],
    ]),
    mayMiss: new Map([
      [
        /Cancelling deletion/,
        "the next manager may take the taint away before it has seen it, and so plans no deletion",
      ],
    ]),
    run: async (kit) => {
      await register(kit, "well", "elsewhere");
      for (const name of ["a", "b"]) await register(kit, name);
      await addPod(kit, "brief", { node: "a", tolerations: patience(1) });
      await addPod(kit, "loyal", { node: "a", tolerations: patience() });
      await addPod(kit, "patient", { node: "a", tolerations: patience(86_400) });
      await addPod(kit, "unwelcome", { node: "b" });
      silence(kit, "a");
      await untilTainted(kit, "a", UNREACHABLE);
      await untilEvicted(kit, "brief");
      for (const name of ["loyal", "patient"]) await untilUnready(kit, name);
      await wake(kit, "a");
      await untilWellKept(kit, "a");
      await taint(kit, "b", OWN_TAINT);
      await untilEvicted(kit, "unwelcome");
      await untaint(kit, "b", OWN_TAINT.key);
      await kit.client.patch(NODES, { name: nodeName(kit, "b") }, {
        type: "merge",
        body: { metadata: { annotations: { [TTL]: "60" }, labels: { "beta.kubernetes.io/os": null } } },
      });
      for (const name of ["b", "a", "well"]) await untilWellKept(kit, name);
      await writeDown(kit, ["well", "a", "b"]);
    },
  },
];

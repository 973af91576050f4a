/** What becomes of nodes that fall silent, fall ill and recover, and of their pods, on any server and under either manager. */
import { NODES, PODS, type Toleration } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  conclude,
  nodeName,
  passTime,
  readyOf,
  say,
  silence,
  taint,
  taintsOf,
  untilEvicted,
  untilNode,
  untilPod,
  untilTainted,
  untilTold,
  untilUnready,
  wake,
} from "./node_kit.ts";
import type { Scenario } from "./scenario.ts";

const ILL = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"];
/** Tolerates a node that is ill for so long, or for ever. */
export const patience = (tolerationSeconds?: number): Toleration[] =>
  ILL.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }));

const UNREACHABLE = "unreachable:NoExecute unreachable:NoSchedule";
const NOT_READY = "not-ready:NoExecute not-ready:NoSchedule";

/** A scenario in which a node elsewhere is well, and whose nodes are compared at its end. */
export function nodeScenario(name: string, run: (kit: Kit) => Promise<void>, eventsDiffer?: string): Scenario {
  return {
    name,
    eventsDiffer,
    run: async (kit) => {
      await addNode(kit, "well", { zone: "elsewhere" });
      await run(kit);
      await conclude(kit);
    },
  };
}

/** A node `a` with the pods `loyal`, which stays for ever, and `brief`, which tolerates illness for a second. */
async function inhabited(kit: Kit, traits: Parameters<typeof addNode>[2] = {}): Promise<void> {
  await addNode(kit, "a", traits);
  await untilTainted(kit, "a", traits.ready === "False" ? NOT_READY : "");
  await addPod(kit, "loyal", { node: "a", tolerations: patience() });
  await addPod(kit, "brief", { node: "a", tolerations: patience(1) });
}

const SILENCE: readonly Scenario[] = [
  nodeScenario("node-silent", async (kit) => {
    await addNode(kit, "b");
    await inhabited(kit);
    await addPod(kit, "patient", { node: "a", tolerations: patience(3600) });
    await addPod(kit, "usual", { node: "a" });
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    for (const name of ["loyal", "patient", "usual"]) await untilUnready(kit, name);
  }),
  nodeScenario("node-alone-in-its-zone-silent", async (kit) => {
    await inhabited(kit);
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    await untilUnready(kit, "loyal");
  }),
  nodeScenario("node-never-spoke", async (kit) => {
    await addNode(kit, "a", { ready: undefined, lease: false });
    await untilTainted(kit, "a", UNREACHABLE);
  }),
  nodeScenario("node-speaks-by-its-lease-alone", async (kit) => {
    await addNode(kit, "a", { ready: undefined });
    await passTime(kit);
    await untilNode(kit, "a", "has no conditions", ({ status }) => !status?.conditions?.length);
  }),
  nodeScenario("node-without-a-lease-falls-silent", async (kit) => {
    await addNode(kit, "a", { lease: false });
    await untilTainted(kit, "a", UNREACHABLE);
  }),
  nodeScenario("node-with-few-conditions-silent", async (kit) => {
    await addNode(kit, "a", { ready: undefined });
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" }, {
      type: "NetworkUnavailable",
      status: "False",
    }];
    const options = { type: "merge", body: { status: { conditions } }, subresource: "status" } as const;
    await kit.client.patch(NODES, { name: nodeName(kit, "a") }, options);
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
  }),
  nodeScenario("node-comes-back", async (kit) => {
    await inhabited(kit);
    await addPod(kit, "patient", { node: "a", tolerations: patience(3600) });
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    await untilUnready(kit, "patient");
    await wake(kit, "a");
    await untilTainted(kit, "a", "");
    await kit.untilEvent("TaintManagerEviction");
    await kit.untilAll(PODS, "all are there", (pods) => pods.length === 3);
  }),
  nodeScenario("node-removed-while-silent", async (kit) => {
    await inhabited(kit);
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    await kit.client.delete(NODES, { name: nodeName(kit, "a") });
    await untilTold(kit, [nodeName(kit, "a")], "RemovingNode");
    await untilUnready(kit, "loyal");
  }),
  nodeScenario("node-status-frozen-but-leased", async (kit) => {
    await inhabited(kit);
    await passTime(kit);
    await passTime(kit);
    await untilTainted(kit, "a", "");
  }),
  nodeScenario("nodes-of-a-zone-silent", async (kit) => {
    await addNode(kit, "a");
    await addNode(kit, "b");
    for (const node of ["a", "b"]) await untilTainted(kit, node, "");
    silence(kit, "a", "b");
    for (const node of ["a", "b"]) await untilTainted(kit, node, UNREACHABLE);
  }),
];

const ILLNESS: readonly Scenario[] = [
  nodeScenario("node-not-ready", async (kit) => {
    await inhabited(kit);
    await say(kit, "a", { Ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
    await untilEvicted(kit, "brief");
    await untilPod(kit, "loyal", "is left ready", ({ status }) => status?.conditions?.[0].status === "True");
  }),
  nodeScenario("pods-bound-to-a-node-that-is-not-ready", async (kit) => {
    await addNode(kit, "a", { ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
    await passTime(kit);
    for (const [name, ready] of [["running", "True"], ["unknown", "Unknown"], ["ended", "False"], ["new", ""]]) {
      await addPod(kit, name, { node: "a", ready, tolerations: patience(), isBoundLater: true });
    }
    for (const name of ["running", "unknown"]) await untilUnready(kit, name);
  }),
  nodeScenario("node-not-ready-then-silent", async (kit) => {
    await inhabited(kit, { ready: "False" });
    await untilEvicted(kit, "brief");
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
  }, "whether pods were marked when they came depends on when they were bound"),
  nodeScenario("node-silent-then-not-ready", async (kit) => {
    await inhabited(kit);
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    await wake(kit, "a");
    await say(kit, "a", { Ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
    await untilUnready(kit, "loyal");
  }),
  nodeScenario("node-says-that-it-does-not-know", async (kit) => {
    await addNode(kit, "a", { ready: "Unknown" });
    await untilTainted(kit, "a", UNREACHABLE);
    await wake(kit, "a");
    await untilTainted(kit, "a", "");
  }),
  nodeScenario("node-under-pressure", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    await say(kit, "a", { Ready: "True", MemoryPressure: "True", DiskPressure: "True", NetworkUnavailable: "True" });
    await untilTainted(kit, "a", "disk-pressure:NoSchedule memory-pressure:NoSchedule network-unavailable:NoSchedule");
    await say(kit, "a", { Ready: "True", PIDPressure: "True", NetworkUnavailable: "Unknown" });
    await untilTainted(kit, "a", "pid-pressure:NoSchedule");
  }),
  nodeScenario("node-cordoned", async (kit) => {
    await addNode(kit, "a", { spec: { unschedulable: true } });
    await addNode(kit, "b");
    await untilTainted(kit, "a", "unschedulable:NoSchedule");
    await kit.client.patch(NODES, { name: nodeName(kit, "b") }, {
      type: "merge",
      body: { spec: { unschedulable: true } },
    });
    await untilTainted(kit, "b", "unschedulable:NoSchedule");
    await kit.client.patch(NODES, { name: nodeName(kit, "a") }, {
      type: "merge",
      body: { spec: { unschedulable: null } },
    });
    await untilTainted(kit, "a", "");
  }),
  nodeScenario("node-with-taints-of-others", async (kit) => {
    await addNode(kit, "a", {
      spec: {
        taints: [
          { key: "example.com/mine", value: "x", effect: "NoSchedule" },
          { key: "node.kubernetes.io/memory-pressure", effect: "NoExecute" },
          { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" },
          { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" },
        ],
      },
    });
    const others = "example.com/mine=x:NoSchedule memory-pressure:NoExecute " +
      "node.cloudprovider.kubernetes.io/shutdown:NoSchedule";
    await untilTainted(kit, "a", others);
    await say(kit, "a", { Ready: "False" });
    await untilTainted(
      kit,
      "a",
      others.replace(" node.cloud", ` node.cloud`).split(" ").concat(NOT_READY.split(" ")).sort().join(" "),
    );
    await wake(kit, "a");
    await untilTainted(kit, "a", others);
  }),
  nodeScenario("node-evicts-by-hand-while-well", async (kit) => {
    await inhabited(kit);
    await taint(kit, "a", { key: ILL[0], effect: "NoExecute" });
    await untilTainted(kit, "a", "");
  }, "whether the pod goes before the taint does is open"),
];

const ZONES: readonly Scenario[] = [
  nodeScenario("zone-partly-lost-keeps-its-pods", async (kit) => {
    const nodes = ["a", "b", "c", "d"];
    for (const node of nodes) await addNode(kit, node);
    for (const node of nodes) await untilTainted(kit, node, "");
    for (const node of ["b", "c"]) await addPod(kit, `on-${node}`, { node, tolerations: patience(1) });
    await say(kit, "a", { Ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
    await say(kit, "b", { Ready: "False" });
    await say(kit, "c", { Ready: "False" });
    await passTime(kit);
    await passTime(kit);
    for (const node of ["b", "c"]) await untilTainted(kit, node, "not-ready:NoSchedule");
  }),
  nodeScenario("zone-of-three-with-two-lost", async (kit) => {
    for (const node of ["a", "b", "c"]) await addNode(kit, node);
    for (const node of ["a", "b", "c"]) await untilTainted(kit, node, "");
    await say(kit, "a", { Ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
    await say(kit, "b", { Ready: "False" });
    await untilTainted(kit, "b", NOT_READY);
    await untilTainted(kit, "c", "");
  }),
  nodeScenario("zone-in-which-only-an-excluded-node-is-well", async (kit) => {
    await addNode(kit, "a", { labels: { "node.kubernetes.io/exclude-disruption": "" } });
    await inhabited2(kit);
    await say(kit, "b", { Ready: "False" });
    await untilTainted(kit, "b", NOT_READY);
  }),
  nodeScenario("nodes-of-beta-zones", async (kit) => {
    const labels = {
      "failure-domain.beta.kubernetes.io/zone": kit.namespace,
      "failure-domain.beta.kubernetes.io/region": "r",
    };
    await addNode(kit, "a", { labels });
    await addNode(kit, "b", { labels });
    await untilTainted(kit, "a", "");
    await say(kit, "a", { Ready: "False" });
    await untilTainted(kit, "a", NOT_READY);
  }),
];

async function inhabited2(kit: Kit): Promise<void> {
  await addNode(kit, "b");
  await untilTainted(kit, "b", "");
}

const LABELS: readonly Scenario[] = [
  nodeScenario("node-labels", async (kit) => {
    await addNode(kit, "a", { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "riscv64" } });
    await addNode(kit, "b", { labels: { "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "plan9" } });
    await addNode(kit, "c", { labels: { "beta.kubernetes.io/os": "plan9", "beta.kubernetes.io/arch": "vax" } });
    const label = (key: string, value: string) => ({ metadata }: Parameters<typeof taintsOf>[0]) =>
      metadata?.labels?.[key] === value;
    await untilNode(kit, "a", "is labelled", label("beta.kubernetes.io/arch", "riscv64"));
    await untilNode(kit, "b", "is labelled", label("beta.kubernetes.io/os", "linux"));
    for (const node of ["a", "b", "c"]) await untilTainted(kit, node, "");
  }),
  nodeScenario("node-replaced", async (kit) => {
    await inhabited(kit);
    await kit.client.delete(NODES, { name: nodeName(kit, "a") });
    await passTime(kit);
    await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: nodeName(kit, "a") } });
    await wake(kit, "a");
    await untilNode(kit, "a", "is well", (node) => readyOf(node) === "True" && taintsOf(node) === "");
  }),
];

export const NODE_LIFECYCLE_SCENARIOS: readonly Scenario[] = [...SILENCE, ...ILLNESS, ...ZONES, ...LABELS];

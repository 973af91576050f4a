import { assertEquals } from "@std/assert";
import type { Node, NodeCondition } from "../../../../src/api/mod.ts";
import { conditionTaintChanges } from "../../../../src/controllers/node_lifecycle/condition_taints.ts";
import { missingLabels } from "../../../../src/controllers/node_lifecycle/labels.ts";
import { lateConditions } from "../../../../src/controllers/node_lifecycle/late_conditions.ts";

const CREATED = "2026-01-01T00:00:00Z";
const NOW = "2026-01-01T01:00:00Z";

function node(conditions: NodeCondition[], more: Partial<Node> = {}): Node {
  return { metadata: { name: "n", creationTimestamp: CREATED }, status: { conditions }, ...more };
}

Deno.test("lateConditions of a node that never said anything has four conditions", () => {
  const conditions = lateConditions({ metadata: { name: "n", creationTimestamp: CREATED } }, NOW);
  assertEquals(conditions.map(({ type }) => type), ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]);
  assertEquals(conditions[0], {
    type: "Ready",
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: CREATED,
    lastTransitionTime: NOW,
  });
});

Deno.test("lateConditions changes what a kubelet has said, and leaves the network and what is unknown already", () => {
  const unknown = { type: "DiskPressure", status: "Unknown", reason: "Mine" };
  const network = { type: "NetworkUnavailable", status: "False" };
  const conditions = lateConditions(
    node([
      network,
      { type: "Ready", status: "True", reason: "KubeletReady", message: "m", lastHeartbeatTime: CREATED },
      unknown,
      { type: "Ready", status: "False" },
    ]),
    NOW,
  );
  assertEquals(conditions.slice(0, 4), [
    network,
    {
      type: "Ready",
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastHeartbeatTime: CREATED,
      lastTransitionTime: NOW,
    },
    unknown,
    { type: "Ready", status: "False" },
  ]);
  assertEquals(conditions.slice(4).map(({ type, reason }) => [type, reason]), [
    ["MemoryPressure", "NodeStatusNeverUpdated"],
    ["PIDPressure", "NodeStatusNeverUpdated"],
  ]);
});

const TAINTS: readonly (readonly [type: string, status: string, key: string | undefined])[] = [
  ["Ready", "True", undefined],
  ["Ready", "False", "not-ready"],
  ["Ready", "Unknown", "unreachable"],
  ["Ready", "constructor", undefined],
  ["MemoryPressure", "True", "memory-pressure"],
  ["MemoryPressure", "Unknown", undefined],
  ["DiskPressure", "True", "disk-pressure"],
  ["NetworkUnavailable", "True", "network-unavailable"],
  ["PIDPressure", "True", "pid-pressure"],
  ["PIDPressure", "False", undefined],
  ["constructor", "True", undefined],
  ["FrequentKubeletRestart", "True", undefined],
];

for (const [type, status, key] of TAINTS) {
  Deno.test(`conditionTaintChanges: ${type} ${status} asks for ${key ?? "nothing"}`, () => {
    const added = conditionTaintChanges(node([{ type, status }]))?.added;
    assertEquals(added, key === undefined ? undefined : [{ key: `node.kubernetes.io/${key}`, effect: "NoSchedule" }]);
  });
}

Deno.test("conditionTaintChanges takes its own taints away, and leaves others alone", () => {
  const memory = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" };
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [memory, { ...memory, effect: "NoExecute" }, { key: "example.com/x", effect: "NoSchedule" }, cordon];
  const ready = { type: "Ready", status: "True" };
  assertEquals(conditionTaintChanges(node([ready], { spec: { taints } })), { added: [], removed: [memory, cordon] });
  const cordoned = node([ready, { type: "MemoryPressure", status: "True" }], { spec: { taints, unschedulable: true } });
  assertEquals(conditionTaintChanges(cordoned), undefined);
  assertEquals(conditionTaintChanges({ metadata: { name: "n" }, spec: { unschedulable: true } })?.added, [cordon]);
});

const LABELS: readonly (readonly [labels: Record<string, string> | undefined, missing: object | undefined])[] = [
  [undefined, undefined],
  [{}, undefined],
  [{ "kubernetes.io/os": "linux" }, { "beta.kubernetes.io/os": "linux" }],
  [{ "kubernetes.io/os": "" }, { "beta.kubernetes.io/os": "" }],
  [{ "kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "vax" }, { "beta.kubernetes.io/arch": "amd64" }],
  [{ "kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "amd64" }, undefined],
  [{ "beta.kubernetes.io/os": "plan9" }, undefined],
];

for (const [labels, missing] of LABELS) {
  Deno.test(`missingLabels of ${JSON.stringify(labels)} are ${JSON.stringify(missing)}`, () => {
    assertEquals(missingLabels({ metadata: { name: "n", labels } }), missing);
  });
}

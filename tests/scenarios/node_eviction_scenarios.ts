/** Which pods a tainted node loses and when, on any server and under either manager. */
import { EVENTS, NODES, type Pod, PODS, type Taint, type Toleration } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  conclude,
  nodeName,
  passTime,
  taint,
  untaint,
  untilEvicted,
  untilNode,
  untilPod,
  untilTainted,
  untilTold,
} from "./node_kit.ts";
import type { Scenario } from "./scenario.ts";

const KEY = "example.com/k";
const OTHER = "example.com/other";
const EVICTING: Taint = { key: KEY, value: "v", effect: "NoExecute" };

function tolerating(tolerationSeconds?: number, more: Partial<Toleration> = {}): Toleration[] {
  return [{ key: KEY, operator: "Exists", effect: "NoExecute", tolerationSeconds, ...more }];
}

/** A scenario on a node `a` that is well and has no taint when it begins. */
function onNode(name: string, run: (kit: Kit) => Promise<void>, eventsDiffer?: string): Scenario {
  return {
    name,
    eventsDiffer,
    run: async (kit) => {
      await addNode(kit, "a");
      await untilTainted(kit, "a", "");
      await run(kit);
      await conclude(kit);
    },
  };
}

async function pods(kit: Kit, tolerations: Readonly<Record<string, Toleration[] | undefined>>): Promise<void> {
  for (const [name, each] of Object.entries(tolerations)) await addPod(kit, name, { node: "a", tolerations: each });
}

/** Waits until all of these pods are being deleted. */
async function evicted(kit: Kit, ...names: readonly string[]): Promise<void> {
  for (const name of names) await untilEvicted(kit, name);
}

/** Makes sure that pods have been left alone for longer than an eviction takes. */
async function spared(kit: Kit, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const pod = await kit.get(PODS, name);
    if (pod.metadata?.deletionTimestamp) throw new Error(`Pod ${name} is being deleted`);
  }
}

/** Waits until an eviction was told, and another has begun since. */
async function cancelled(kit: Kit, count = 1): Promise<void> {
  const isTold = async () => (await events(kit, "Cancelling")).length >= count;
  await untilNode(kit, "a", `has ${count} evictions called off`, isTold);
}

async function events(kit: Kit, word: string): Promise<string[]> {
  const { items } = await kit.client.list(EVENTS, { namespace: kit.namespace });
  return items.flatMap(({ message }) => message?.startsWith(word) ? [message] : []);
}

const TOLERATIONS: readonly Scenario[] = [
  onNode("evicted-at-once", async (kit) => {
    await pods(kit, {
      none: undefined,
      "other-key": [{ key: OTHER, operator: "Exists" }],
      "other-value": tolerating(undefined, { operator: "Equal", value: "w" }),
      "other-effect": tolerating(undefined, { effect: "NoSchedule" }),
      zero: tolerating(0),
      negative: tolerating(-5),
    });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "none", "other-key", "other-value", "other-effect", "zero", "negative");
  }),
  onNode("tolerated-for-ever", async (kit) => {
    await pods(kit, {
      none: undefined,
      everything: [{ operator: "Exists" }],
      key: tolerating(),
      value: tolerating(undefined, { operator: "Equal", value: "v" }),
      "every-effect": [{ key: KEY, operator: "Exists" }],
    });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "none");
    await spared(kit, "everything", "key", "value", "every-effect");
  }),
  onNode("tolerated-for-seconds", async (kit) => {
    await pods(kit, { one: tolerating(1), two: tolerating(2), long: tolerating(3600) });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "one", "two");
    await spared(kit, "long");
  }),
  onNode("tolerated-for-senselessly-long", async (kit) => {
    await pods(kit, {
      none: undefined,
      "292-years": tolerating(9_223_372_036),
      "as-long-as-possible": tolerating(Number.MAX_SAFE_INTEGER),
    });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "none");
    await spared(kit, "292-years", "as-long-as-possible");
  }),
  onNode("first-toleration-counts", async (kit) => {
    await pods(kit, {
      short: [...tolerating(1), { operator: "Exists" }],
      long: [{ operator: "Exists" }, ...tolerating(1)],
    });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "short");
    await spared(kit, "long");
  }),
  onNode("several-taints", async (kit) => {
    const other = (seconds?: number) => tolerating(seconds, { key: OTHER })[0];
    await pods(kit, {
      "one-of-two": tolerating(),
      shortest: [...tolerating(3600), other(1)],
      both: [...tolerating(), other()],
      long: [...tolerating(), other(3600)],
    });
    await taint(kit, "a", EVICTING, { key: OTHER, effect: "NoExecute" });
    await evicted(kit, "one-of-two", "shortest");
    await spared(kit, "both", "long");
  }),
  onNode("other-effects-evict-nobody", async (kit) => {
    await pods(kit, { none: undefined });
    await taint(kit, "a", { key: KEY, effect: "NoSchedule" }, { key: OTHER, effect: "PreferNoSchedule" });
    await passTime(kit);
    await spared(kit, "none");
  }),
  onNode("out-of-service-and-shutdown", async (kit) => {
    await pods(kit, { none: undefined, loyal: [{ operator: "Exists" }] });
    await taint(kit, "a", { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" });
    await spared(kit, "none");
    await taint(kit, "a", { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" });
    await evicted(kit, "none");
    await spared(kit, "loyal");
  }),
];

const CHANGES: readonly Scenario[] = [
  onNode("taint-removed-in-time", async (kit) => {
    await pods(kit, { a: tolerating(3600), b: tolerating(3600), c: tolerating() });
    await taint(kit, "a", EVICTING);
    await addPod(kit, "late", { node: "a", isBoundLater: true });
    await evicted(kit, "late");
    await untaint(kit, "a", KEY);
    await cancelled(kit, 2);
    await spared(kit, "a", "b", "c");
  }),
  onNode("tainted-again-later", async (kit) => {
    await pods(kit, { a: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await untaint(kit, "a", KEY);
    await cancelled(kit);
    await setSeconds(kit, "a", 2);
    await taint(kit, "a", EVICTING);
    await evicted(kit, "a");
  }, "pods that are being deleted are told so again, as often as the node's taints change"),
  onNode("toleration-lengthened-too-late", async (kit) => {
    await pods(kit, { a: tolerating(3), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await setSeconds(kit, "a", 3600);
    await evicted(kit, "a");
  }),
  onNode("toleration-shortened-hastens-nothing", async (kit) => {
    await pods(kit, { a: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await setSeconds(kit, "a", 1);
    await passTime(kit);
    await spared(kit, "a");
  }),
  onNode("toleration-made-endless", async (kit) => {
    await pods(kit, { a: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await setSeconds(kit, "a", null);
    await cancelled(kit);
    await spared(kit, "a");
  }),
  onNode("second-taint-comes-and-goes", async (kit) => {
    const tolerations = [...tolerating(), ...tolerating(3600, { key: OTHER })];
    await pods(kit, { a: tolerations, b: tolerating() });
    await taint(kit, "a", EVICTING);
    await taint(kit, "a", { key: OTHER, effect: "NoExecute" });
    await evicted(kit, "b");
    await untaint(kit, "a", OTHER);
    await cancelled(kit);
    await spared(kit, "a");
  }),
  onNode("untolerated-taint-joins-a-tolerated-one", async (kit) => {
    await pods(kit, { a: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await taint(kit, "a", { key: OTHER, effect: "NoExecute" });
    await evicted(kit, "a");
  }, "pods that are being deleted are told so again, as often as the node's taints change"),
  onNode("toleration-added-in-time", async (kit) => {
    await pods(kit, { a: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    const { spec } = await kit.get(PODS, "a");
    const tolerations = [{ operator: "Exists" }, ...spec!.tolerations!];
    await kit.merge(PODS, "a", { spec: { tolerations } });
    await cancelled(kit);
    await spared(kit, "a");
  }),
];

const PODS_AND_NODES: readonly Scenario[] = [
  onNode("bound-to-a-tainted-node", async (kit) => {
    await taint(kit, "a", EVICTING);
    for (const [name, tolerations] of [["none", []], ["brief", tolerating(1)], ["loyal", tolerating()]] as const) {
      await addPod(kit, name, { node: "a", tolerations: [...tolerations], isBoundLater: true });
    }
    await evicted(kit, "none", "brief");
    await spared(kit, "loyal");
  }),
  onNode("ended-pods-go-too", async (kit) => {
    for (const phase of ["Succeeded", "Failed", "Pending"]) {
      await addPod(kit, phase.toLowerCase(), { node: "a", phase, ready: "" });
    }
    await taint(kit, "a", EVICTING);
    await kit.untilAll(
      PODS,
      "have gone or are going",
      (all) => all.every(({ metadata }) => metadata?.deletionTimestamp),
    );
  }),
  onNode("pod-said-already-that-it-is-to-end", async (kit) => {
    await addPod(kit, "same", { node: "a" });
    await addPod(kit, "other", { node: "a" });
    await addPod(kit, "false", { node: "a" });
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      // Without a time it would count as stale, and the disruption controller would take it back during the eviction.
      lastTransitionTime: (await kit.get(PODS, "same")).metadata?.creationTimestamp,
    };
    const say = (name: string, more: object) =>
      kit.client.patch(PODS, { namespace: kit.namespace, name }, {
        type: "strategic",
        body: { status: { conditions: [{ ...condition, ...more }] } },
        subresource: "status",
      });
    await say("same", {});
    await say("other", { reason: "Other" });
    await say("false", { status: "False" });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "same", "other", "false");
  }),
  onNode("pod-deleted-in-time", async (kit) => {
    await pods(kit, { a: tolerating(3600), b: tolerating(3600), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    await kit.client.delete(PODS, { namespace: kit.namespace, name: "a" }, { gracePeriodSeconds: 0 });
    await cancelled(kit);
    await spared(kit, "b");
  }),
  onNode("node-goes-while-timers-run", async (kit) => {
    await pods(kit, { a: tolerating(3), probe: undefined });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "probe");
    const name = nodeName(kit, "a");
    await untilTold(kit, [name], "RegisteredNode");
    await kit.client.delete(NODES, { name });
    await untilTold(kit, [name], "RemovingNode");
    await untilPod(kit, "a", "is being deleted", ({ metadata }: Pod) => metadata?.deletionTimestamp);
  }),
  onNode("finalizers-hold-an-evicted-pod", async (kit) => {
    await addPod(kit, "a", { node: "a" });
    await kit.merge(PODS, "a", { metadata: { finalizers: ["example.com/hold"] } });
    await taint(kit, "a", EVICTING);
    await evicted(kit, "a");
  }),
];

async function setSeconds(kit: Kit, name: string, seconds: number | null): Promise<void> {
  const { spec } = await kit.get(PODS, name);
  const tolerations = spec!.tolerations!.map((each) =>
    each.key === KEY ? { ...each, tolerationSeconds: seconds ?? undefined } : each
  );
  await kit.merge(PODS, name, { spec: { tolerations } });
}

export const NODE_EVICTION_SCENARIOS: readonly Scenario[] = [...TOLERATIONS, ...CHANGES, ...PODS_AND_NODES];

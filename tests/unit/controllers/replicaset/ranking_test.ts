import { assertEquals } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { rankForDeletion } from "../../../../src/controllers/replicaset/ranking.ts";
import { ago, NOW_MS } from "../fake_times.ts";
import { pod, type PodTraits } from "./fixtures.ts";

const COST = "controller.kubernetes.io/pod-deletion-cost";
const HOUR = 3600;

/** A pod with containers that were restarted so often; `sidecar` and `init` are init containers. */
function restarted(
  name: string,
  counts: { app?: number; sidecar?: number; init?: number },
  traits: PodTraits = {},
): Pod {
  const made = pod(name, { readyFor: HOUR, ...traits });
  const status = (name: string, restartCount = 0) => ({ name, restartCount, ready: true, image: "", imageID: "" });
  made.spec!.initContainers = [{ name: "sidecar", restartPolicy: "Always" }, { name: "init" }];
  made.status!.containerStatuses = [status("other"), status("c", counts.app)];
  made.status!.initContainerStatuses = [status("sidecar", counts.sidecar), status("init", counts.init)];
  return made;
}

const cost = (name: string, text: string, traits: PodTraits = {}) =>
  pod(name, { annotations: { [COST]: text }, ...traits });
const onNodes = (...nodes: string[]) => nodes.map((node, i) => pod(`related-${i}`, { node }));

/** Pods in the order in which they are to be deleted; ties come in the order given. */
const CASES: { name: string; pods: Pod[]; related?: Pod[] }[] = [
  {
    name: "unassigned, pending, not ready, then ready pods",
    pods: [
      pod("1", { phase: "Pending", readyFor: undefined }),
      pod("2", { phase: "Pending", readyFor: undefined, node: "n1" }),
      pod("3", { readyFor: undefined, node: "n1" }),
      pod("4", { node: "n1" }),
      cost("5", "1", { node: "n2" }),
    ],
  },
  {
    name: "phases Pending, Unknown, Running, and any other as Pending",
    pods: [
      pod("1", { phase: "Pending", node: "n", annotations: { [COST]: "1" } }),
      pod("2", { phase: "", node: "n", annotations: { [COST]: "2" } }),
      pod("3", { phase: "Unknown", node: "n" }),
      pod("4", { node: "n" }),
    ],
  },
  { name: "an unassigned pod first, even if it costs more", pods: [cost("1", "9"), pod("2", { node: "n" })] },
  {
    name: "pods on different nodes by the next rules",
    pods: [pod("1", { node: "n1", phase: "Pending" }), pod("2", { node: "n2" })],
  },
  {
    name: "the pod on the more crowded node first",
    pods: [pod("1", { node: "n2" }), pod("2", { node: "n1" })],
    related: onNodes("n1", "n2", "n2"),
  },
  {
    name: "the cheaper pod first, whatever the crowd",
    pods: [cost("1", "10", { node: "n1" }), cost("2", "100", { node: "n2" })],
    related: onNodes("n1", "n2", "n2"),
  },
  {
    name: "crowds of active pods only",
    pods: [pod("1", { node: "n1" }), pod("2", { node: "n2" })],
    related: [
      ...onNodes("n1", "n1", "n2"),
      pod("done", { node: "n2", phase: "Succeeded" }),
      pod("gone", { node: "n2", deletionTimestamp: ago(1) }),
    ],
  },
  {
    name: "the pod ready for 2 h before the one ready for 5 h",
    pods: [pod("1", { readyFor: 2 * HOUR }), pod("2", { readyFor: 5 * HOUR })],
  },
  {
    name: "pods ready for 5 h and 8 h by uid, since their ages are alike",
    pods: [pod("1", { readyFor: 8 * HOUR }), pod("2", { readyFor: 5 * HOUR })],
  },
  {
    name: "pods ready for 8300 s and 8500 s by uid: both are between 2^42 and 2^43 ns",
    pods: [pod("1", { readyFor: 8500 }), pod("2", { readyFor: 8300 })],
  },
  { name: "a pod whose ready time is unknown first", pods: [withoutReadyTime("2"), pod("1")] },
  {
    name: "a pod that will be ready in the future first",
    pods: [pod("2", { readyFor: -60 }), pod("1", { readyFor: 1 })],
  },
  {
    name: "the pod with the most restarts first",
    pods: [restarted("2", { app: 9001 }), restarted("1", { app: 0, sidecar: 10_000 })],
  },
  {
    name: "the pod with the most sidecar restarts first where others are equal",
    pods: [restarted("2", { app: 1, sidecar: 3 }), restarted("1", { app: 1, sidecar: 2, init: 50 })],
  },
  {
    name: "the younger pod first",
    pods: [pod("2", { creationTimestamp: ago(HOUR) }), pod("1", { creationTimestamp: ago(5 * HOUR) })],
  },
  {
    name: "pods of alike ages by uid",
    pods: [pod("1", { creationTimestamp: ago(8 * HOUR) }), pod("2", { creationTimestamp: ago(5 * HOUR) })],
  },
  { name: "a pod without a creation time first", pods: [pod("2"), pod("1", { creationTimestamp: ago(1) })] },
  {
    name: "a pod whose restarts differ by them, its ready times being equal",
    pods: [
      restarted("2", { app: 1 }, { creationTimestamp: ago(9 * HOUR) }),
      restarted("1", {}, { creationTimestamp: ago(1) }),
    ],
  },
];

function withoutReadyTime(name: string): Pod {
  const made = pod(name);
  made.status!.conditions = [{ type: "Ready", status: "True" }];
  return made;
}

for (const { name, pods, related = [] } of CASES) {
  Deno.test(`rankForDeletion puts ${name}`, () => {
    const names = (list: Pod[]) => list.map(({ metadata }) => metadata?.name);
    for (const order of [pods, pods.toReversed()]) {
      assertEquals(names(rankForDeletion(order, { related, nowMs: NOW_MS })), names(pods));
    }
  });
}

/** Every text is compared with a pod of cost 1 and one of cost -1. */
const COSTS: [text: string, cost: number][] = [
  ["-3", -3],
  ["-007", -7],
  ["0", 0],
  ["7", 7],
  ["2147483647", 2147483647],
  ["-2147483648", -2147483648],
  ["007", 0],
  ["+5", 0],
  ["", 0],
  ["2147483648", 0],
  ["-2147483649", 0],
  ["1e3", 0],
  ["-", 0],
  ["abc", 0],
];
for (const [text, expected] of COSTS) {
  Deno.test(`rankForDeletion reads the deletion cost "${text}" as ${expected}`, () => {
    const rank = (other: number) =>
      rankForDeletion([pod("other", { annotations: { [COST]: String(other) } }), cost("it", text)], {
        related: [],
        nowMs: NOW_MS,
      })[0].metadata?.name;
    if (expected < 2147483647) assertEquals(rank(expected + 1), "it");
    if (expected > -2147483648) assertEquals(rank(expected - 1), "other");
  });
}

Deno.test("rankForDeletion with ignoresCost takes no pod for cheaper than another", () => {
  const pods = [cost("dear", "7"), cost("cheap", "-7")];
  const first = (ignoresCost: boolean) =>
    rankForDeletion(pods, { related: [], nowMs: NOW_MS, ignoresCost })[0].metadata?.name;
  assertEquals([first(false), first(true)], ["cheap", "dear"]);
});

Deno.test("rankForDeletion() takes a time that is not set for the latest, and equal ages by uid", () => {
  const names = (...pods: Pod[]) =>
    rankForDeletion(pods, { related: [], nowMs: NOW_MS }).map(({ metadata }) => metadata?.name);
  const [timed, timeless] = [pod("timed"), pod("timeless")];
  timeless.status!.conditions = [{ type: "Ready", status: "True" }];
  assertEquals([names(timed, timeless), names(timeless, timed)], [["timeless", "timed"], ["timeless", "timed"]]);
  const [old, unborn] = [pod("old", { creationTimestamp: ago(HOUR) }), pod("unborn")];
  assertEquals([names(old, unborn), names(unborn, old)], [["unborn", "old"], ["unborn", "old"]]);
  const [a, b] = [pod("a", { readyFor: HOUR - 1 }), pod("b", { readyFor: HOUR })];
  assertEquals([names(a, b), names(b, a)], [["a", "b"], ["a", "b"]]);
});

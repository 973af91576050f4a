import { assertEquals } from "@std/assert";
import { type LabelSelector, type Pod, type ReplicaSet, REPLICASETS } from "../../../../src/api/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import { relatedPods } from "../../../../src/controllers/replicaset/related_pods.ts";
import { ago } from "../fake_times.ts";
import { keysOf, pod, replicaSet, ReplicaSetHarness } from "./fixtures.ts";

const HASH = "pod-template-hash";
const byDeployment = {
  ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "uid-d", controller: true }],
};

function sibling(name: string, selector: LabelSelector, metadata: ReplicaSet["metadata"] = byDeployment): ReplicaSet {
  const made = replicaSet({ name, uid: `uid-${name}`, ...metadata });
  made.spec!.selector = selector;
  return made;
}

const labelled = (name: string, labels: Record<string, string>, more: Pod["metadata"] = {}) =>
  pod(name, { labels, ...more });

/** Which pods are related to the first of `owners`. */
function related(owners: ReplicaSet[], pods: Pod[]): string[] {
  return stepsOf(owners, pods).keys;
}

/** The same, and how many steps it took to find them. */
function stepsOf(owners: ReplicaSet[], pods: Pod[]): { keys: string[]; steps: number } {
  const harness = new ReplicaSetHarness(owners[0], ...pods);
  for (const owner of owners.slice(1)) harness.owners.add(harness.client.store(REPLICASETS, owner)[0]);
  const options = { pods: harness.pods, podLister: new Lister(harness.pods), replicaSets: harness.owners };
  const finding = relatedPods(owners[0], options);
  for (let steps = 0;; steps++) {
    const { done, value } = finding.next();
    if (done) return { keys: keysOf(value), steps };
  }
}

const NEW = sibling("new", { matchLabels: { app: "x", [HASH]: "1" } });
const OLD = sibling("old", { matchLabels: { app: "x", [HASH]: "2" } });

Deno.test("relatedPods() finds the pods of all ReplicaSets of the controller, by labels alone, in any state", () => {
  const pods = [
    labelled("new", { app: "x", [HASH]: "1" }),
    labelled("old", { app: "x", [HASH]: "2" }, { deletionTimestamp: ago(1) }),
    labelled("orphan", { app: "x", [HASH]: "2" }, { ownerReferences: [] }),
    labelled("other-app", { app: "y", [HASH]: "1" }),
    labelled("other-hash", { app: "x", [HASH]: "3" }),
    labelled("elsewhere", { app: "x", [HASH]: "1" }, { namespace: "b" }),
    labelled("no-hash", { app: "x" }),
  ];
  assertEquals(related([NEW, OLD], pods), ["a/new", "a/old", "a/orphan"]);
  assertEquals(related([NEW], pods), ["a/new"]);
});

Deno.test("relatedPods() finds pods of ReplicaSets that do not select by template hash, each once", () => {
  const broad = sibling("broad", { matchLabels: { app: "x" } });
  const pods = [labelled("1", { app: "x", [HASH]: "1" }), labelled("2", { app: "x" }), labelled("3", { app: "y" })];
  assertEquals(related([NEW, broad], pods), ["a/1", "a/2"]);
});

Deno.test("relatedPods() takes a step a pod that is looked at", () => {
  const broad = ["1", "2", "3"].map((name) => sibling(name, { matchLabels: { app: "none", set: name } }));
  const pods = Array.from({ length: 40 }, (_, i) => labelled(`${i}`, { app: "x" }));
  assertEquals(stepsOf(broad, pods), { keys: [], steps: 120 });
});

Deno.test("relatedPods() passes over an invalid selector", () => {
  const invalid = sibling("invalid", { matchExpressions: [{ key: "app", operator: "Near" }] });
  assertEquals(related([NEW, invalid], [labelled("1", { app: "x", [HASH]: "1" })]), ["a/1"]);
});

Deno.test("relatedPods() finds none for a ReplicaSet without a controller, or of another one", () => {
  const standalone = sibling("standalone", { matchLabels: { app: "x" } }, { ownerReferences: [] });
  assertEquals(related([standalone, NEW], [labelled("1", { app: "x", [HASH]: "1" })]), []);
});

Deno.test("syncReplicas() deletes from the crowded node, except for a ReplicaSet without a controller", async () => {
  for (const metadata of [byDeployment, {}]) {
    const owner = sibling("r", { matchLabels: { app: "x", [HASH]: "1" } }, metadata);
    owner.spec!.replicas = 2;
    const on = (name: string, node: string) => pod(name, { node, labels: { app: "x", [HASH]: "1" } });
    // Without ranks nothing tells the pods apart, and the first one in the cache goes.
    const harness = new ReplicaSetHarness(owner, on("1", "n2"), on("2", "n1"), on("3", "n1"));
    await harness.sync();
    const expected = metadata === byDeployment ? ["delete pods a/2"] : ["delete pods a/1"];
    assertEquals(harness.client.writes.filter((text) => text.startsWith("delete")), expected);
  }
});

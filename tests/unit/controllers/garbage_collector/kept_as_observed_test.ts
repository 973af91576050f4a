/** Objects about which nobody is asked, because the monitors know that their owners keep them. */
import { assertEquals } from "@std/assert";
import {
  DEPLOYMENTS,
  type KubeObject,
  NODES,
  type OwnerReference,
  PODS,
  REPLICASETS,
} from "../../../../src/api/mod.ts";
import { Graph, GraphNode } from "../../../../src/controllers/garbage_collector/graph.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { isKeptAsObserved } from "../../../../src/controllers/garbage_collector/kept_as_observed.ts";
import { DELETING, FOREGROUND, GcHarness, object, ref } from "./harness.ts";

/** What the monitors show; `rs` is listed elsewhere still. */
const SHOWN = [
  object(DEPLOYMENTS, "d"),
  object(DEPLOYMENTS, "going", DELETING),
  object(DEPLOYMENTS, "waiting", FOREGROUND),
];

const GRAPH = new Graph();
for (const owner of [ref(REPLICASETS, "rs"), ref(REPLICASETS, "mistaken")]) {
  GRAPH.put(new GraphNode(identityOfOwner(owner, owner.name === "rs" ? "a" : "b"), { virtual: true }));
}
GRAPH.put(new GraphNode(identityOfOwner(ref(REPLICASETS, "elsewhere"), "b")));

function isKept(ownerReferences: OwnerReference[] | undefined): Promise<boolean> {
  const item = object(PODS, "p", { ownerReferences });
  const known = new Map(SHOWN.map((each) => [`Deployment a/${each.metadata?.name}`, each]));
  return isKeptAsObserved(identityOfOwner(ref(PODS, "p"), "a"), item, {
    cached: ({ kind, namespace, name, uid }) => {
      const found: KubeObject | undefined = known.get(`${kind} ${namespace}/${name}`);
      return Promise.resolve(found?.metadata?.uid === uid ? found : undefined);
    },
    graph: GRAPH,
    isAwaited: ({ kind }) => Promise.resolve(kind === "ReplicaSet"),
  });
}

Deno.test("isKeptAsObserved: it says so only if each owner is in a monitor's cache exactly as the reference names it, or will soon be there", async () => {
  const d = ref(DEPLOYMENTS, "d");
  const rs = ref(REPLICASETS, "rs");
  assertEquals(await isKept(undefined), true, "nobody owns it");
  for (const owners of [[d], [rs], [d, rs], [ref(DEPLOYMENTS, "going")]]) assertEquals(await isKept(owners), true);
  for (const wrong of [{ ...d, uid: "other" }, { ...d, name: "e" }, { ...d, kind: "Node" }, ref(NODES, "d")]) {
    for (const owners of [[wrong], [d, wrong], [wrong, d]]) assertEquals(await isKept(owners), false);
  }
});

Deno.test("isKeptAsObserved: in the second case its virtual node has that identity, so that the graph queues the object if the owner proves to be absent, or another one", async () => {
  assertEquals(await isKept([ref(REPLICASETS, "rs")]), true);
  for (const name of ["mistaken", "elsewhere", "unknown"]) {
    assertEquals(await isKept([ref(REPLICASETS, name)]), false, name);
  }
});

Deno.test("isKeptAsObserved: an owner that waits for the deletion of its dependents keeps nothing", async () => {
  const waiting = ref(DEPLOYMENTS, "waiting");
  for (const owners of [[waiting], [ref(DEPLOYMENTS, "d"), waiting]]) assertEquals(await isKept(owners), false);
});

Deno.test("attemptToDelete: an object that its owners keep costs no request where the monitors know it: see isKeptAsObserved", async () => {
  const gc = new GcHarness();
  for (
    const [resource, name, owner] of [
      [DEPLOYMENTS, "d", undefined],
      [REPLICASETS, "rs", ref(DEPLOYMENTS, "d")],
      [PODS, "p", ref(REPLICASETS, "rs")],
    ] as const
  ) {
    const stored = gc.create(resource, object(resource, name, owner && { ownerReferences: [owner] }));
    gc.monitored.set(name, stored);
  }
  for (const uid of ["d", "rs", "p"]) gc.toDelete.add(gc.graph.get(uid)!);
  await gc.drain();
  assertEquals([gc.client.lines, gc.errors], [[], []]);
  gc.monitored.delete("d");
  gc.toDelete.add(gc.graph.get("rs")!);
  await gc.drain();
  assertEquals(gc.client.lines, ["get replicasets a/rs", "get deployments a/d"], "the cache no longer shows the owner");
});

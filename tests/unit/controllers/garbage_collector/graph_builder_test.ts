import { assertEquals, assertNotStrictEquals } from "@std/assert";
import {
  CLUSTERROLES,
  DEPLOYMENTS,
  HORIZONTALPODAUTOSCALERS,
  HORIZONTALPODAUTOSCALERS_V1,
  type KubeObject,
  NODES,
  PODS,
  REPLICASETS,
  type Resource,
} from "../../../../src/api/mod.ts";
import type { GraphChange } from "../../../../src/controllers/garbage_collector/graph_change.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { DELETING, FOREGROUND, GcHarness, object, ref } from "./harness.ts";

function virtualDelete(gc: GcHarness, resource: Resource, name: string, namespace = "a"): void {
  gc.process({ type: "virtualDelete", identity: identityOfOwner(ref(resource, name), namespace) });
}

Deno.test("GraphBuilder: an owner that only references know is a virtual node, queued so that somebody asks for it, in the dependent's namespace", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(NODES, "n")] }));
  const owner = gc.graph.get("n");
  assertEquals(owner?.identity, { ...identityOfOwner(ref(NODES, "n"), "a") });
  assertEquals(owner?.virtual, true);
  assertEquals([...owner?.dependents ?? []], [gc.graph.get("p")]);
  assertEquals(gc.toDelete.names, ["n"]);
});

Deno.test("GraphBuilder: a change observed by a monitor makes a virtual node an observed one, under the observed identity; Graph: a replaced node and its successor are different values, so a queue that holds the old one can tell; no dependent is dropped", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(NODES, "n")] }));
  const virtual = gc.graph.get("n");
  gc.toDelete.take();
  gc.observe(NODES, object(NODES, "n"));
  const observed = gc.graph.get("n");
  assertNotStrictEquals(observed, virtual);
  assertEquals([observed?.virtual, observed?.identity.namespace], [false, ""]);
  assertEquals([...observed?.dependents ?? []], [gc.graph.get("p")]);
  assertEquals(gc.toDelete.names, [], "the dependent's reference fits");
});

Deno.test("GraphBuilder keeps the virtual node itself when the observed identity is the expected one", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  const node = gc.graph.get("rs");
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  assertEquals(gc.graph.get("rs") === node && !node?.virtual, true);
});

Deno.test("GraphBuilder queues dependents whose reference does not fit the observed owner, in either order of events", () => {
  const role = object(HORIZONTALPODAUTOSCALERS, "r");
  const child = object(PODS, "p", { ownerReferences: [ref(HORIZONTALPODAUTOSCALERS_V1, "r")] });
  for (const childFirst of [true, false]) {
    const gc = new GcHarness();
    if (childFirst) gc.observe(PODS, child);
    gc.observe(HORIZONTALPODAUTOSCALERS, role);
    if (!childFirst) gc.observe(PODS, child);
    assertEquals(gc.toDelete.names.includes("p"), true);
    assertEquals(gc.invalid, []);
  }
});

Deno.test("GraphBuilder reports a dependent whose owner lives in another namespace, in either order of events", () => {
  const owner = object(REPLICASETS, "rs", { namespace: "b" });
  const child = object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] });
  for (const childFirst of [true, false]) {
    const gc = new GcHarness();
    if (childFirst) gc.observe(PODS, child);
    gc.observe(REPLICASETS, owner);
    if (!childFirst) gc.observe(PODS, child);
    assertEquals(gc.invalid, ["p rs"]);
    assertEquals(gc.toDelete.names.includes("p"), true);
  }
});

Deno.test("GraphBuilder reports nothing while the owner in another namespace is virtual", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(PODS, object(PODS, "q", { namespace: "b", ownerReferences: [ref(REPLICASETS, "rs")] }));
  assertEquals(gc.invalid, []);
  assertEquals(gc.toDelete.names, ["rs", "q"]);
});

Deno.test("GraphBuilder doubts a virtual owner without namespace when a namespaced dependent names it", () => {
  const gc = new GcHarness();
  gc.observe(CLUSTERROLES, object(CLUSTERROLES, "cluster-child", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  assertEquals(gc.toDelete.names, ["rs", "p"]);
});

Deno.test("GraphBuilder queues the owner when a dependent's reference disappears or stops blocking", () => {
  for (const after of [[], [ref(REPLICASETS, "rs", { blockOwnerDeletion: false })], [ref(REPLICASETS, "rs")]]) {
    const gc = new GcHarness();
    const pod = object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion: true })] });
    gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
    gc.observe(PODS, pod);
    gc.observe(PODS, object(PODS, "p", { ownerReferences: after }), pod);
    assertEquals(gc.toDelete.names, ["rs"]);
    assertEquals(gc.graph.get("rs")?.dependents.size, after.length);
  }
});

Deno.test("Graph: a node is among the dependents of every node that one of its owner references names by UID, also one added by an update", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p"));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }), object(PODS, "p"));
  assertEquals([...gc.graph.get("rs")?.dependents ?? []], [gc.graph.get("p")]);
});

Deno.test("GraphBuilder queues dependents, then the owner, when foreground deletion begins", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND), object(REPLICASETS, "rs"));
  assertEquals(gc.toDelete.names, ["p", "rs"]);
  assertEquals([gc.graph.get("rs")?.beingDeleted, gc.graph.get("rs")?.deletingDependents], [true, true]);
});

Deno.test("GraphBuilder queues the owner for orphaning, and nothing for deletion, when deletion with orphan begins", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  const deleting = object(REPLICASETS, "rs", { ...DELETING, finalizers: ["orphan"] });
  gc.observe(REPLICASETS, deleting, object(REPLICASETS, "rs"));
  assertEquals([gc.toDelete.names, gc.toOrphan.names], [[], ["rs"]]);
});

Deno.test("GraphBuilder acts on a transition that an addition brings", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs", { ...DELETING, finalizers: ["orphan"] }));
  gc.observe(DEPLOYMENTS, object(DEPLOYMENTS, "d", FOREGROUND));
  assertEquals([gc.toOrphan.names, gc.toDelete.names], [["rs"], ["d"]]);
});

Deno.test("GraphBuilder removes a deleted object, remembers its absence and queues its dependents", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observeDeletion(REPLICASETS, object(REPLICASETS, "rs"));
  assertEquals(gc.graph.get("rs"), undefined);
  assertEquals(gc.toDelete.names, ["p"]);
  assertEquals(gc.absentOwners.has(identityOfOwner(ref(REPLICASETS, "rs"), "a")), true);
});

Deno.test("GraphBuilder remembers no absence of an object without dependents, and ignores an unknown deletion", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observeDeletion(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observeDeletion(REPLICASETS, object(REPLICASETS, "other"));
  assertEquals(gc.absentOwners.has(identityOfOwner(ref(REPLICASETS, "rs"), "a")), false);
  assertEquals([gc.graph.size, gc.toDelete.names], [0, []]);
});

Deno.test("GraphBuilder: an owner in foreground deletion is queued when what it has waited for longest is gone, not for every dependent", () => {
  const gc = new GcHarness();
  const blocking = { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion: true })] };
  gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  const pods = [
    object(PODS, "free", { ownerReferences: [ref(REPLICASETS, "rs")] }),
    ...["p", "q", "r"].map((name) => object(PODS, name, blocking)),
  ];
  for (const pod of pods) gc.observe(PODS, pod);
  const queuedBy = (pod: KubeObject) => {
    gc.toDelete.take();
    gc.observeDeletion(PODS, pod);
    return gc.toDelete.names;
  };
  const [free, p, q, r] = pods;
  assertEquals([free, q, p, r].map(queuedBy), [[], [], ["rs"], ["rs"]], "r was its last");
});

Deno.test("GraphBuilder: a dependent that comes late, while its owner waits, is queued when it comes", () => {
  for (const blockOwnerDeletion of [true, false]) {
    const gc = new GcHarness();
    gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
    gc.toDelete.take();
    gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion })] }));
    assertEquals(gc.toDelete.names, blockOwnerDeletion ? ["p"] : []);
  }
});

Deno.test("GraphBuilder queues the owner when the blocking one of two references to it stops blocking", () => {
  const gc = new GcHarness();
  const twice = (blockOwnerDeletion: boolean) =>
    object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion }), ref(REPLICASETS, "rs")] });
  gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  gc.observe(PODS, twice(true));
  assertEquals(gc.graph.get("rs")?.firstBlocker, gc.graph.get("p"));
  gc.toDelete.take();
  gc.observe(PODS, twice(false), twice(true));
  assertEquals([gc.toDelete.names, gc.graph.get("rs")?.firstBlocker], [["rs"], undefined]);
});

Deno.test("GraphBuilder knows what blocks a foreground deletion, whatever came first", () => {
  const [blocking, free] = [true, false].map((blockOwnerDeletion) => ({
    ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion })],
  }));
  const show = {
    owner: (gc: GcHarness) => gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND)),
    alive: (gc: GcHarness) => gc.observe(REPLICASETS, object(REPLICASETS, "rs")),
    deleted: (gc: GcHarness) =>
      gc.observe(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND), object(REPLICASETS, "rs")),
    pods: (gc: GcHarness) => {
      gc.observe(PODS, object(PODS, "p", blocking));
      gc.observe(PODS, object(PODS, "q", free));
      gc.observe(PODS, object(PODS, "r", blocking));
      gc.observe(PODS, object(PODS, "r", free), object(PODS, "r", blocking));
    },
  };
  for (const order of [["owner", "pods"], ["pods", "owner"], ["alive", "pods", "deleted"]] as const) {
    const gc = new GcHarness();
    for (const what of order) show[what](gc);
    const names = [...gc.graph.get("rs")!.blockers].map(({ identity }) => identity.name);
    assertEquals(names, ["p"], order.join(", "));
  }
});

Deno.test("GraphBuilder: every step of a change takes constant time, but for what the changed object's own size costs", () => {
  const many = 3000;
  const gc = new GcHarness();
  const owned = { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion: true })] };
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  for (let i = 0; i < many; i++) gc.observe(PODS, object(PODS, `p${i}`, owned));
  const of = { apiVersion: "apps/v1", kind: "ReplicaSet" };
  const [before, after] = [object(REPLICASETS, "rs"), object(REPLICASETS, "rs", FOREGROUND)];
  const owners = Array.from({ length: many }, (_, i) => ref(NODES, `n${i}`));
  const virtual = identityOfOwner(ref(NODES, "n0"), "a");
  const changes: Record<string, GraphChange> = {
    "foreground deletion begins": { type: "update", of, old: before, object: after },
    "the owner is gone": { type: "delete", of, object: after },
    "an object has many owners": { type: "add", of, object: object(REPLICASETS, "owned", { ownerReferences: owners }) },
    "an owner of that kind is absent": { type: "virtualDelete", identity: virtual },
  };
  const steps = Object.values(changes).map((change) => gc.process(change));
  assertEquals(steps.map((count) => count >= many), [true, true, true, false], `${steps}`);
  gc.process({ type: "add", of, object: object(REPLICASETS, "rs2") });
  for (let i = 0; i < many; i++) {
    gc.observe(PODS, object(PODS, `v${i}`, { ownerReferences: [ref(DEPLOYMENTS, "d")] }));
  }
  const absent = identityOfOwner(ref(DEPLOYMENTS, "d"), "a");
  assertEquals(gc.process({ type: "virtualDelete", identity: absent }) >= 2 * many, true, "compared and queued");
});

Deno.test("GraphBuilder: a virtual delete removes a node only if no dependent claims another identity for it", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.toDelete.take();
  virtualDelete(gc, REPLICASETS, "rs");
  assertEquals(gc.graph.get("rs"), undefined);
  assertEquals(gc.toDelete.names, ["p"]);
});

Deno.test("GraphBuilder tries another claimed identity when a virtual node's own turns out absent", () => {
  const gc = new GcHarness();
  const unserved = { ...ref(REPLICASETS, "rs"), apiVersion: "extensions/v1beta1" };
  gc.observe(PODS, object(PODS, "served", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(PODS, object(PODS, "unserved", { ownerReferences: [unserved] }));
  gc.toDelete.take();
  virtualDelete(gc, REPLICASETS, "rs");
  assertEquals(gc.toDelete.names, ["served"], "only the dependent that names the absent identity");
  assertEquals(gc.graph.get("rs")?.identity, identityOfOwner(unserved, "a"));
  assertEquals(gc.toDelete.rateLimited.map(({ identity }) => identity.apiVersion), ["extensions/v1beta1"]);
  assertEquals(gc.graph.get("rs")?.dependents.size, 2);
});

Deno.test("GraphBuilder keeps a virtual node whose identity is not the one found absent", () => {
  const gc = new GcHarness();
  const unserved = { ...ref(REPLICASETS, "rs"), apiVersion: "extensions/v1beta1" };
  gc.observe(PODS, object(PODS, "unserved", { ownerReferences: [unserved] }));
  gc.observe(PODS, object(PODS, "served", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.toDelete.take();
  const node = gc.graph.get("rs");
  virtualDelete(gc, REPLICASETS, "rs");
  assertEquals(gc.graph.get("rs"), node);
  assertEquals([gc.toDelete.names, gc.toDelete.rateLimited], [["served"], []]);
});

Deno.test("GraphBuilder never removes an observed node by a virtual delete of another identity", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  gc.observe(PODS, object(PODS, "fits", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.observe(PODS, object(PODS, "elsewhere", { namespace: "b", ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.toDelete.take();
  virtualDelete(gc, REPLICASETS, "rs", "b");
  assertEquals(gc.graph.get("rs")?.virtual, false);
  assertEquals(gc.toDelete.names, ["elsewhere"]);
  assertEquals(gc.absentOwners.has(identityOfOwner(ref(REPLICASETS, "rs"), "b")), true);
});

Deno.test("GraphBuilder removes an observed node by a virtual delete of exactly its identity", () => {
  const gc = new GcHarness();
  gc.observe(REPLICASETS, object(REPLICASETS, "rs"));
  virtualDelete(gc, REPLICASETS, "rs");
  assertEquals(gc.graph.size, 0);
});

Deno.test("GraphBuilder turns a virtual node into an observed one even when it is shown by its deletion", () => {
  const gc = new GcHarness();
  gc.observe(PODS, object(PODS, "p", { ownerReferences: [ref(HORIZONTALPODAUTOSCALERS_V1, "r")] }));
  gc.toDelete.take();
  gc.observeDeletion(HORIZONTALPODAUTOSCALERS, object(HORIZONTALPODAUTOSCALERS, "r"));
  assertEquals(gc.graph.get("r"), undefined);
  assertEquals(gc.toDelete.names, ["p"]);
});

Deno.test("GraphBuilder: changes are processed one at a time, in the order in which they were queued: a barrier is reached after those before it", () => {
  const gc = new GcHarness();
  let nodes = 0;
  gc.observe(PODS, object(PODS, "p"));
  gc.process({ type: "barrier", reached: () => void (nodes = gc.graph.size) });
  assertEquals(nodes, 1);
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  CLUSTERROLES,
  DEPLOYMENTS,
  HORIZONTALPODAUTOSCALERS,
  HORIZONTALPODAUTOSCALERS_V1,
  objectKey,
  type OwnerReference,
  PODS,
  REPLICASETS,
} from "../../../../src/api/mod.ts";
import type { DeleteObjectOptions } from "../../../../src/client/mod.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { DELETING, FOREGROUND, GcHarness, object, ref, WIDGETS } from "./harness.ts";
import { statusError } from "../status_errors.ts";

const OWNED = { ownerReferences: [ref(REPLICASETS, "rs")], resourceVersion: "7" };
const BLOCKING = { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion: true })], resourceVersion: "7" };
const UNSERVED = { ...ref(REPLICASETS, "rs"), apiVersion: "extensions/v1beta1" };

function deletion(uid: string, propagationPolicy: string, resourceVersion?: string): string {
  return JSON.stringify({ propagationPolicy, preconditions: { uid, resourceVersion } });
}

Deno.test("attemptToDelete: an object is deleted only on live answers about itself and about every owner: in the background where the only owner is missing, with both preconditions", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", OWNED));
  await gc.drain();
  assertEquals(gc.client.lines, [
    "get replicasets a/rs",
    "get pods a/p",
    `delete pods a/p ${deletion("p", "Background", "7")}`,
  ]);
  assertEquals(gc.absentOwners.has(identityOfOwner(ref(REPLICASETS, "rs"), "a")), true);
});

Deno.test("attemptToDelete asks once for the absent owner of many", async () => {
  const gc = new GcHarness();
  for (const name of ["p1", "p2", "p3", "p4", "p5"]) gc.create(PODS, object(PODS, name, OWNED));
  await gc.drain();
  const count = (prefix: string) => gc.client.lines.filter((call) => call.startsWith(prefix)).length;
  assertEquals([count("get replicasets"), count("get pods"), count("delete pods")], [1, 5, 5]);
});

Deno.test("attemptToDelete takes an owner for absent whose name no object can have, and asks nobody", async () => {
  const gc = new GcHarness();
  for (const [i, name] of ["../../../namespaces/b", "a/b", "..", "a%2fb"].entries()) {
    gc.create(PODS, object(PODS, `p${i}`, { ownerReferences: [ref(REPLICASETS, name)] }));
  }
  await gc.drain();
  const verbs = gc.client.lines.map((call) => call.split(" ").slice(0, 2).join(" "));
  assertEquals([verbs.filter((verb) => verb === "delete pods").length, verbs.includes("get replicasets")], [4, false]);
  assertEquals(gc.errors, []);
});

Deno.test("attemptToDelete leaves an object alone whose owner exists", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", OWNED));
  gc.client.store(REPLICASETS, object(REPLICASETS, "rs"));
  gc.toDelete.add(gc.graph.get("p")!);
  await gc.drain();
  assertEquals(gc.client.find(PODS, "a/p") !== undefined, true);
  assertEquals(gc.errors, ["rs: item hasn't been observed via informer yet"], "the virtual owner is polled");
});

Deno.test("attemptToDelete: nor does a virtual node that a monitor is about to show: it is looked at again later", async () => {
  const gc = new GcHarness();
  gc.isAwaited = ({ name }) => name === "rs";
  gc.create(PODS, object(PODS, "p", OWNED));
  await gc.drain();
  assertEquals([gc.client.lines, gc.errors], [[], []]);
  assertEquals(gc.toDelete.delayed.map(({ node, delayMs }) => [node.identity.name, delayMs]), [["rs", 5_000]]);
});

Deno.test("attemptToDelete: a reference to an owner that is gone is taken off an object that another owner keeps", async () => {
  const gc = new GcHarness();
  gc.create(DEPLOYMENTS, object(DEPLOYMENTS, "d"));
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(DEPLOYMENTS, "d"), ref(REPLICASETS, "rs")] }));
  await gc.drain();
  const body = { metadata: { uid: "p", ownerReferences: [{ $patch: "delete", uid: "rs" }] } };
  assertEquals(gc.client.lines.at(-1), `patch pods a/p ${JSON.stringify(body)}`);
  assertEquals(gc.client.find(PODS, "a/p")?.metadata?.ownerReferences, [ref(DEPLOYMENTS, "d")]);
});

Deno.test("attemptToDelete takes the reference to a waiting owner off an object with a solid owner", async () => {
  const gc = new GcHarness();
  gc.create(DEPLOYMENTS, object(DEPLOYMENTS, "d"));
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(DEPLOYMENTS, "d"), ...BLOCKING.ownerReferences] }));
  gc.create(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  await gc.drain();
  const body = { metadata: { uid: "p", ownerReferences: [{ $patch: "delete", uid: "rs" }] } };
  assertEquals(gc.client.lines.includes(`patch pods a/p ${JSON.stringify(body)}`), true);
});

Deno.test("attemptToDelete deletes a blocking child without dependents in the background when its owner waits", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", BLOCKING));
  gc.create(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  await gc.drain();
  const writes = gc.client.lines.filter((call) => !call.startsWith("get"));
  assertEquals(writes[0], `delete pods a/p ${deletion("p", "Background", "7")}`);
  assertStringIncludes(writes[1], "patch replicasets a/rs");
});

Deno.test("attemptToDelete deletes a child that has dependents in the foreground when its owner waits", async () => {
  const gc = new GcHarness();
  const owners = { ownerReferences: [ref(DEPLOYMENTS, "d", { blockOwnerDeletion: true })], resourceVersion: "8" };
  gc.create(DEPLOYMENTS, object(DEPLOYMENTS, "d", FOREGROUND));
  gc.create(REPLICASETS, object(REPLICASETS, "rs", owners));
  gc.create(PODS, object(PODS, "p", BLOCKING));
  gc.toDelete.take();
  gc.toDelete.add(gc.graph.get("rs")!);
  await gc.drain();
  assertEquals(gc.client.lines.at(-1), `delete replicasets a/rs ${deletion("rs", "Foreground", "8")}`);
});

Deno.test("attemptToDelete unblocks its owners before it deletes an object that may be part of a circle", async () => {
  const gc = new GcHarness();
  const a = { ownerReferences: [ref(DEPLOYMENTS, "b", { blockOwnerDeletion: true })] };
  const b = { ownerReferences: [ref(REPLICASETS, "a", { blockOwnerDeletion: true }), ref(WIDGETS, "w")] };
  gc.create(REPLICASETS, object(REPLICASETS, "a", { ...FOREGROUND, ...a }));
  gc.create(DEPLOYMENTS, object(DEPLOYMENTS, "b", b));
  gc.toDelete.take();
  gc.toDelete.add(gc.graph.get("b")!);
  await gc.drain();
  const unblocked = [{ ...b.ownerReferences[0], blockOwnerDeletion: false }];
  const writes = gc.client.lines.filter((call) => !call.startsWith("get"));
  assertEquals(
    writes[0],
    `patch deployments a/b ${JSON.stringify({ metadata: { uid: "b", ownerReferences: unblocked } })}`,
  );
  assertStringIncludes(writes[1], "delete deployments a/b");
  assertStringIncludes(writes[1], "Foreground");
});

Deno.test("attemptToDelete: an object whose foreground deletion waits for itself, all the way round, stops blocking its owners, and no other does", async () => {
  const writesAround = async (owner: OwnerReference[]) => {
    const gc = new GcHarness();
    const blockedBy = (name: string) => [ref(REPLICASETS, name, { blockOwnerDeletion: true })];
    gc.create(REPLICASETS, object(REPLICASETS, "a", { ...FOREGROUND, ownerReferences: owner }));
    gc.create(REPLICASETS, object(REPLICASETS, "b", { ...FOREGROUND, ownerReferences: blockedBy("a") }));
    gc.create(REPLICASETS, object(REPLICASETS, "c", { ...FOREGROUND, ownerReferences: blockedBy("b") }));
    gc.toDelete.take();
    gc.toDelete.add(gc.graph.get("a")!);
    await gc.drain();
    return gc.client.lines.filter((call) => !call.startsWith("get"));
  };
  const toC = ref(REPLICASETS, "c", { blockOwnerDeletion: true });
  const body = { metadata: { uid: "a", ownerReferences: [{ ...toC, blockOwnerDeletion: false }] } };
  assertEquals(await writesAround([toC]), [`patch replicasets a/a ${JSON.stringify(body)}`]);
  assertEquals(await writesAround([]), [], "b and c are to go first");
});

Deno.test("attemptToDelete removes the finalizer foregroundDeletion once no blocking child is left", async () => {
  const gc = new GcHarness();
  const finalizers = ["example.com/mine", "foregroundDeletion"];
  gc.create(REPLICASETS, object(REPLICASETS, "rs", { ...FOREGROUND, finalizers, resourceVersion: "9" }));
  await gc.drain();
  const body = { metadata: { resourceVersion: "9", finalizers: ["example.com/mine"] } };
  assertEquals(gc.client.lines.at(-1), `patch replicasets a/rs ${JSON.stringify(body)}`);
});

Deno.test("attemptToDelete sends null for the last finalizer", async () => {
  const gc = new GcHarness();
  gc.create(REPLICASETS, object(REPLICASETS, "rs", { ...FOREGROUND, resourceVersion: "9" }));
  await gc.drain();
  const body = { metadata: { resourceVersion: "9", finalizers: null } };
  assertEquals(gc.client.lines.at(-1), `patch replicasets a/rs ${JSON.stringify(body)}`);
});

Deno.test("attemptToDelete lets an owner go when its only blocking child stops blocking", async () => {
  const gc = new GcHarness();
  const child = gc.create(PODS, object(PODS, "p", BLOCKING));
  gc.create(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  gc.toDelete.take();
  gc.observe(
    PODS,
    object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs", { blockOwnerDeletion: false })] }),
    child,
  );
  assertEquals(gc.toDelete.names, ["rs"]);
  await gc.drain();
  assertStringIncludes(gc.client.lines.at(-1)!, `patch replicasets a/rs`);
});

Deno.test("attemptToDelete does nothing for an object that is being deleted and waits for nobody", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", { ...OWNED, ...DELETING, finalizers: ["example.com/mine"] }));
  gc.toDelete.take();
  gc.toDelete.add(gc.graph.get("p")!);
  await gc.drain();
  assertEquals(gc.client.lines, []);
});

Deno.test("attemptToDelete keeps the propagation that an earlier request asked for", async () => {
  for (const [finalizer, policy] of [["orphan", "Orphan"], ["foregroundDeletion", "Foreground"]]) {
    const gc = new GcHarness();
    gc.create(PODS, object(PODS, "p", { ...OWNED, finalizers: [finalizer] }));
    gc.client.onChange = () => {};
    await gc.drain();
    assertEquals(gc.client.lines.at(-1), `delete pods a/p ${deletion("p", policy, "7")}`);
  }
});

Deno.test("attemptToDelete repeats a conflicting delete without resourceVersion when the references are the same", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", OWNED));
  gc.client.onCall = (call, body) => {
    if (!call.startsWith("delete") || !(body as DeleteObjectOptions).preconditions?.resourceVersion) return;
    gc.client.store(PODS, object(PODS, "p", { ...OWNED, resourceVersion: "8" }));
  };
  await gc.drain();
  assertEquals(gc.client.lines.slice(-3), [
    `delete pods a/p ${deletion("p", "Background", "7")}`,
    "get pods a/p",
    `delete pods a/p ${deletion("p", "Background")}`,
  ]);
  assertEquals(gc.errors, []);
});

Deno.test("attemptToDelete lets a conflict stand when owner references or the uid changed meanwhile", async () => {
  const replacements = [
    object(PODS, "p", { ownerReferences: [ref(DEPLOYMENTS, "d")], resourceVersion: "8" }),
    object(PODS, "p", { ...OWNED, uid: "another", resourceVersion: "8" }),
  ];
  for (const replacement of replacements) {
    const gc = new GcHarness();
    gc.create(PODS, object(PODS, "p", OWNED));
    gc.client.onCall = (call) => void (call.startsWith("delete") && gc.client.store(PODS, replacement));
    await gc.drain();
    assertEquals(gc.client.lines.filter((call) => call.startsWith("delete")).length, 1);
    assertEquals(gc.errors.length, 1);
    assertStringIncludes(gc.errors[0], "in the precondition");
    assertEquals(gc.client.find(PODS, "a/p")?.metadata?.uid, replacement.metadata?.uid);
  }
});

Deno.test("attemptToDelete forgets an object that is gone when it is to be deleted, and tells the graph", async () => {
  for (const when of ["get pods", "delete pods"]) {
    const gc = new GcHarness();
    gc.create(PODS, object(PODS, "p", OWNED));
    gc.client.onCall = (call) => void (call.startsWith(when) && gc.client.remove(PODS, "a/p"));
    await gc.drain();
    assertEquals([gc.graph.size, gc.errors], [0, []]);
  }
});

Deno.test("attemptToDelete takes another uid under the name for absence, and queues the dependents", async () => {
  const gc = new GcHarness();
  gc.client.store(REPLICASETS, object(REPLICASETS, "rs", { uid: "another" }));
  gc.create(PODS, object(PODS, "p", OWNED));
  await gc.drain();
  assertEquals(gc.client.lines.at(-1), `delete pods a/p ${deletion("p", "Background", "7")}`);
});

Deno.test("attemptToDelete: an error that is neither says nothing: it is never taken for absence", async () => {
  const wrapped = new Error("cannot get a token", { cause: statusError(404, "NotFound") });
  for (
    const error of [statusError(403, "Forbidden"), statusError(500, "InternalError"), new TypeError("reset"), wrapped]
  ) {
    for (const call of ["get replicasets", "get pods"]) {
      const gc = new GcHarness();
      gc.create(PODS, object(PODS, "p", OWNED));
      gc.toDelete.take();
      gc.toDelete.add(gc.graph.get("p")!);
      gc.client.fail(call, error);
      await gc.drain();
      assertEquals(gc.errors, [`p: ${error.message}`]);
      assertEquals(gc.client.lines.some((made) => made.startsWith("delete")), false);
      assertEquals(gc.changes, []);
    }
  }
});

Deno.test("attemptToDelete never takes a failing REST mapping for absence, whatever it failed with", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", OWNED));
  gc.mapper.failing = statusError(404, "NotFound");
  await gc.drain();
  assertEquals(gc.client.lines, []);
  assertEquals([gc.errors.length, gc.graph.size], [1, 2]);
});

Deno.test("attemptToDelete retries a child of an unserved kind for ever and never deletes it", async () => {
  const gc = new GcHarness();
  gc.create(REPLICASETS, object(REPLICASETS, "rs"));
  gc.create(PODS, object(PODS, "p", { ownerReferences: [UNSERVED] }));
  await gc.drain();
  const message = `unable to get REST mapping for extensions/v1beta1/ReplicaSet: no matches for kind "ReplicaSet"` +
    ` in version "extensions/v1beta1"`;
  assertEquals(gc.errors, [`p: ${message}`]);
  gc.client.remove(REPLICASETS, "a/rs");
  gc.observeDeletion(REPLICASETS, object(REPLICASETS, "rs"));
  await gc.drain();
  assertEquals(gc.errors, [`p: ${message}`, `p: ${message}`]);
  assertEquals(gc.client.find(PODS, "a/p") !== undefined, true);
});

Deno.test("attemptToDelete deletes the served sibling and polls on under the unserved identity", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "served", OWNED));
  gc.create(PODS, object(PODS, "unserved", { ownerReferences: [UNSERVED] }));
  await gc.drain();
  assertEquals(gc.client.find(PODS, "a/served"), undefined);
  assertEquals(gc.client.find(PODS, "a/unserved") !== undefined, true);
  assertEquals(gc.toDelete.rateLimited.map(({ identity }) => identity.apiVersion), ["extensions/v1beta1"]);
  assertEquals(gc.graph.get("rs")?.virtual, true);
});

Deno.test("attemptToDelete finds an owner under a served version that is not the preferred one", async () => {
  const gc = new GcHarness();
  gc.create(HORIZONTALPODAUTOSCALERS, object(HORIZONTALPODAUTOSCALERS, "r"));
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(HORIZONTALPODAUTOSCALERS_V1, "r")] }));
  await gc.drain();
  assertEquals(gc.client.lines, ["get pods a/p", "get horizontalpodautoscalers a/r"]);
  assertEquals(gc.errors, []);
});

Deno.test("attemptToDelete drops a queued virtual node once its object was observed", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(CLUSTERROLES, "c")] }));
  const [virtual] = gc.toDelete.take();
  gc.create(CLUSTERROLES, object(CLUSTERROLES, "c"));
  gc.toDelete.take();
  gc.toDelete.add(virtual);
  await gc.drain();
  assertEquals([gc.client.lines, gc.errors], [[], []]);
});

Deno.test("attemptToDelete drops a queued virtual node that left the graph", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", OWNED));
  const [virtual] = gc.toDelete.take();
  gc.process({ type: "virtualDelete", identity: virtual.identity });
  gc.toDelete.take();
  gc.toDelete.add(virtual);
  await gc.drain();
  assertEquals(gc.client.lines, []);
});

Deno.test("attemptToDelete finds a cluster-scoped owner that is only known from a namespaced child", async () => {
  const gc = new GcHarness();
  gc.client.store(CLUSTERROLES, object(CLUSTERROLES, "c"));
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(CLUSTERROLES, "c")] }));
  await gc.drain();
  assertEquals(gc.client.lines, ["get clusterroles c"]);
  assertEquals(gc.errors, ["c: item hasn't been observed via informer yet"]);
});

Deno.test("attemptToDelete removes a virtual node whose object came and went unseen", async () => {
  const gc = new GcHarness();
  gc.create(PODS, object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  gc.client.store(REPLICASETS, object(REPLICASETS, "rs"));
  await gc.drain();
  assertEquals(gc.graph.get("rs")?.virtual, true);
  gc.client.remove(REPLICASETS, "a/rs");
  gc.toDelete.add(gc.graph.get("rs")!);
  await gc.drain();
  assertEquals(gc.graph.get("rs"), undefined);
});

Deno.test("attemptToDelete deletes a child whose owner is in another namespace, in either order of events", async () => {
  for (const childFirst of [true, false]) {
    const gc = new GcHarness();
    const child = object(PODS, "p", OWNED);
    if (childFirst) gc.create(PODS, child);
    gc.create(REPLICASETS, object(REPLICASETS, "rs", { namespace: "b" }));
    if (!childFirst) gc.create(PODS, child);
    await gc.drain();
    assertEquals(gc.invalid, ["p rs"]);
    assertEquals(gc.client.lines, [
      "get pods a/p",
      "get replicasets a/rs",
      `delete pods a/p ${deletion("p", "Background", "7")}`,
    ]);
    assertEquals(gc.graph.get("rs")?.virtual, false);
  }
});

Deno.test("attemptToDelete never deletes a cluster-scoped child of a namespaced owner, and forgets it", async () => {
  const gc = new GcHarness();
  gc.create(REPLICASETS, object(REPLICASETS, "rs"));
  gc.create(CLUSTERROLES, object(CLUSTERROLES, "c", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  await gc.drain();
  assertEquals(gc.client.lines, ["get clusterroles c"]);
  assertEquals([gc.errors, gc.invalid], [[], ["c rs"]]);
});

Deno.test("attemptToDelete forgets a virtual owner of a namespaced kind that only a cluster-scoped child names", async () => {
  const gc = new GcHarness();
  gc.create(CLUSTERROLES, object(CLUSTERROLES, "c", { ownerReferences: [ref(REPLICASETS, "rs")] }));
  await gc.drain();
  assertEquals([gc.client.lines, gc.errors], [[], []]);
});

Deno.test("attemptToDelete does not wait for children that do not block, and deletes them afterwards", async () => {
  const gc = new GcHarness();
  const child = gc.create(PODS, object(PODS, "p", OWNED));
  const owner = gc.create(REPLICASETS, object(REPLICASETS, "rs", FOREGROUND));
  gc.toDelete.take();
  gc.toDelete.add(gc.graph.get("rs")!);
  await gc.drain();
  assertEquals(gc.client.find(REPLICASETS, objectKey(owner)), undefined);
  assertEquals(gc.client.find(PODS, objectKey(child)) !== undefined, true);
  gc.observeDeletion(REPLICASETS, owner);
  await gc.drain();
  assertEquals(gc.client.find(PODS, objectKey(child)), undefined);
});

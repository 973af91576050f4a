/** Deletion of what a monitor showed, without a GET first: as safe as with one. */
import { assertEquals } from "@std/assert";
import { type KubeObject, PODS, REPLICASETS, type Resource } from "../../../../src/api/mod.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { GcHarness, object, objectsOn, ref, WIDGETS } from "./harness.ts";
import { statusError } from "../status_errors.ts";

const OWNER = ref(REPLICASETS, "rs");
const OWNED = { ownerReferences: [OWNER], resourceVersion: "7" };

function deletion(propagationPolicy: string, resourceVersion?: string): string {
  return JSON.stringify({ propagationPolicy, preconditions: { uid: "p", resourceVersion } });
}

/** A collector whose monitor shows `p` as it is on the server, and who knows that its owner is gone. */
function collector(resource: Resource, p: KubeObject, owners = [OWNER]): GcHarness {
  const gc = new GcHarness();
  const stored = gc.create(resource, p);
  gc.monitored.set("p", stored);
  for (const owner of owners) gc.absentOwners.add(identityOfOwner(owner, "a"));
  gc.toDelete.take();
  gc.toDelete.add(gc.graph.get("p")!);
  return gc;
}

Deno.test("deleteAsObserved takes one request where all owners are known to be absent", async () => {
  const gc = collector(PODS, object(PODS, "p", OWNED));
  await gc.drain();
  assertEquals(gc.client.lines, [`delete pods a/p ${deletion("Background", "7")}`]);
  assertEquals(objectsOn(gc.client), []);
});

Deno.test("deleteAsObserved: owners count as absent only by an earlier live answer about them", async () => {
  const another = ref(REPLICASETS, "rs2");
  const gc = collector(PODS, object(PODS, "p", { ...OWNED, ownerReferences: [OWNER, another] }));
  gc.client.store(REPLICASETS, object(REPLICASETS, "rs2"));
  await gc.drain();
  const patch = { metadata: { uid: "p", ownerReferences: [{ $patch: "delete", uid: "rs" }] } };
  assertEquals(gc.client.lines.slice(0, 3), [
    "get pods a/p",
    "get replicasets a/rs2",
    `patch pods a/p ${JSON.stringify(patch)}`,
  ]);
});

Deno.test("deleteAsObserved: an object that changed since it was shown is not touched: it is asked for, and the answer decides", async () => {
  const adopted = object(PODS, "p", { ownerReferences: [ref(REPLICASETS, "rs2")], resourceVersion: "8" });
  const gc = collector(PODS, object(PODS, "p", OWNED));
  gc.client.store(REPLICASETS, object(REPLICASETS, "rs2"));
  const [stored] = gc.client.store(PODS, adopted);
  await gc.drain();
  assertEquals(gc.client.lines, [
    `delete pods a/p ${deletion("Background", "7")}`,
    "get pods a/p",
    "get replicasets a/rs2",
  ]);
  assertEquals(gc.client.find(PODS, "a/p"), stored);

  const successor = object(PODS, "p", { uid: "another", resourceVersion: "8" });
  const replaced = collector(PODS, object(PODS, "p", OWNED));
  const [kept] = replaced.client.store(PODS, successor);
  await replaced.drain();
  assertEquals(replaced.client.find(PODS, "a/p"), kept);
  assertEquals(replaced.graph.get("p"), undefined, "what was queued is gone");
});

Deno.test("An object that changed, but whose owners are gone still, is deleted on the live answer", async () => {
  const gc = collector(PODS, object(PODS, "p", OWNED));
  gc.client.store(PODS, object(PODS, "p", { ...OWNED, resourceVersion: "8" }));
  await gc.drain();
  assertEquals(gc.client.lines, [
    `delete pods a/p ${deletion("Background", "7")}`,
    "get pods a/p",
    `delete pods a/p ${deletion("Background", "8")}`,
  ]);
});

Deno.test("deleteAsObserved: only kinds that kube-apiserver itself stores, which compares both for sure, are deleted so, without a GET", async () => {
  const gc = collector(WIDGETS, object(WIDGETS, "p", { ...OWNED, resourceVersion: "17" }));
  await gc.client.serve(WIDGETS);
  await gc.drain();
  assertEquals(gc.client.lines, ["get widgets a/p", `delete widgets a/p ${deletion("Background", "17")}`]);
});

Deno.test("deleteAsObserved keeps the propagation that an earlier request asked for", async () => {
  for (const [finalizer, policy] of [["orphan", "Orphan"], ["foregroundDeletion", "Foreground"]]) {
    const gc = collector(PODS, object(PODS, "p", { ...OWNED, finalizers: [finalizer] }));
    gc.client.onChange = () => {};
    await gc.drain();
    assertEquals(gc.client.lines, [`delete pods a/p ${deletion(policy, "7")}`]);
  }
});

Deno.test("deleteAsObserved tells the graph of an object that is gone, and never takes another error for that", async () => {
  const gone = collector(PODS, object(PODS, "p", OWNED));
  gone.client.remove(PODS, "a/p");
  await gone.drain();
  assertEquals([gone.graph.get("p"), gone.client.calls.length, gone.errors], [undefined, 1, []]);

  for (const error of [statusError(403, "Forbidden"), statusError(500, "InternalError"), new TypeError("reset")]) {
    const gc = collector(PODS, object(PODS, "p", OWNED));
    gc.client.fail("delete", error);
    await gc.drain();
    assertEquals([gc.errors, gc.changes, gc.client.calls.length], [[`p: ${error.message}`], [], 1]);
  }
});

import { assertEquals } from "@std/assert";
import { type KubeObject, PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import { ReferencePatches } from "../../../../src/controllers/garbage_collector/actions.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { GcHarness, object, ref, WIDGETS } from "./harness.ts";

const W = identityOfOwner(ref(WIDGETS, "w"), "a");

function widget(...owners: string[]): KubeObject {
  const ownerReferences = owners.map((name) => ref(REPLICASETS, name, { blockOwnerDeletion: true }));
  return object(WIDGETS, "w", { ownerReferences, resourceVersion: "17" });
}

function patchesOf(gc: GcHarness, cached: KubeObject | undefined): ReferencePatches {
  return new ReferencePatches({ live: gc.context.live, cached: () => Promise.resolve(cached) });
}

Deno.test("ReferencePatches falls back to a merge patch with resourceVersion where strategic merge is unknown", async () => {
  const gc = new GcHarness();
  await gc.client.serve(WIDGETS);
  gc.client.store(WIDGETS, widget("rs1", "rs2"));
  await gc.context.patches.removeReferences(W, ["rs1"]);
  const remaining = [ref(REPLICASETS, "rs2", { blockOwnerDeletion: true })];
  assertEquals(gc.client.lines.slice(1), [
    "get widgets a/w",
    `patch widgets a/w ${JSON.stringify({ metadata: { resourceVersion: "17", ownerReferences: remaining } })}`,
  ]);
});

Deno.test("ReferencePatches sends null when no reference remains", async () => {
  const gc = new GcHarness();
  await gc.client.serve(WIDGETS);
  gc.client.store(WIDGETS, widget("rs1"));
  await gc.context.patches.removeReferences(W, ["rs1"]);
  assertEquals(
    gc.client.lines.at(-1),
    `patch widgets a/w {"metadata":{"resourceVersion":"17","ownerReferences":null}}`,
  );
});

Deno.test("ReferencePatches takes the object for the fallback from an informer if one has it", async () => {
  const gc = new GcHarness();
  await gc.client.serve(WIDGETS);
  gc.client.store(WIDGETS, widget("rs1", "rs2"));
  await patchesOf(gc, widget("rs1", "rs2")).removeReferences(W, ["rs1"]);
  assertEquals(gc.client.lines.map((call) => call.split(" ")[0]), ["patch", "patch"]);
});

Deno.test("ReferencePatches makes all references non-blocking in the fallback", async () => {
  const gc = new GcHarness();
  await gc.client.serve(WIDGETS);
  gc.client.store(WIDGETS, widget("rs1", "rs2"));
  const owners = widget("rs1", "rs2").metadata?.ownerReferences ?? [];
  await gc.context.patches.unblockOwners({ identity: W, owners });
  const unblocked = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
  assertEquals(
    gc.client.lines.at(-1),
    `patch widgets a/w ${JSON.stringify({ metadata: { resourceVersion: "17", ownerReferences: unblocked } })}`,
  );
});

Deno.test("ReferencePatches unblocks by strategic merge with the formerly blocking references only", async () => {
  const gc = new GcHarness();
  const owners = [ref(REPLICASETS, "rs1", { blockOwnerDeletion: true }), ref(REPLICASETS, "rs2")];
  gc.client.store(PODS, object(PODS, "p", { ownerReferences: owners }));
  await gc.context.patches.unblockOwners({ identity: identityOfOwner(ref(PODS, "p"), "a"), owners });
  const ownerReferences = [{ ...owners[0], blockOwnerDeletion: false }];
  assertEquals(gc.client.lines, [
    `patch pods a/p ${JSON.stringify({ metadata: { uid: "p", ownerReferences } })}`,
  ]);
});

Deno.test("ReferencePatches is done when the object of a fallback is gone", async () => {
  const gc = new GcHarness();
  await gc.client.serve(WIDGETS);
  gc.client.store(WIDGETS, widget("rs1"));
  gc.client.onCall = (call) => void (call.startsWith("get") && gc.client.remove(WIDGETS, "a/w"));
  await gc.context.patches.removeReferences(W, ["rs1"]);
  assertEquals(gc.client.lines.at(-1), "get widgets a/w");
});

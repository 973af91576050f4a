import { assertEquals, assertRejects } from "@std/assert";
import { PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import { attemptToOrphan } from "../../../../src/controllers/garbage_collector/attempt_to_orphan.ts";
import { removeFinalizer } from "../../../../src/controllers/garbage_collector/actions.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { DELETING, GcHarness, object, ref } from "./harness.ts";
import { statusError } from "../status_errors.ts";

const OWNED = { ownerReferences: [ref(REPLICASETS, "rs")] };
const ORPHANING = { ...DELETING, finalizers: ["orphan"], resourceVersion: "9" };
const RS = identityOfOwner(ref(REPLICASETS, "rs"), "a");

function orphaning(children: number): GcHarness {
  const gc = new GcHarness();
  gc.create(REPLICASETS, object(REPLICASETS, "rs", ORPHANING));
  for (let i = 0; i < children; i++) gc.create(PODS, object(PODS, `p${i}`, OWNED));
  return gc;
}

Deno.test("attemptToOrphan takes the reference off every dependent, then the finalizer off the owner", async () => {
  const gc = orphaning(3);
  await gc.drain();
  const patch = (name: string) =>
    `patch pods a/${name} ${
      JSON.stringify({ metadata: { uid: name, ownerReferences: [{ $patch: "delete", uid: "rs" }] } })
    }`;
  assertEquals(gc.client.lines, [
    patch("p0"),
    patch("p1"),
    patch("p2"),
    "get replicasets a/rs",
    `patch replicasets a/rs {"metadata":{"resourceVersion":"9","finalizers":null}}`,
  ]);
  assertEquals(gc.client.find(REPLICASETS, "a/rs"), undefined);
});

Deno.test("attemptToOrphan keeps the finalizer when one dependent of many could not be patched", async () => {
  const gc = orphaning(8);
  gc.client.fail("patch pods a/p5", statusError(500, "InternalError"), { times: 1 });
  await assertRejects(() => attemptToOrphan(gc.graph.get("rs")!, gc.context), AggregateError, "failed to orphan");
  assertEquals(gc.client.find(REPLICASETS, "a/rs")?.metadata?.finalizers, ["orphan"]);
  await attemptToOrphan(gc.graph.get("rs")!, gc.context);
  assertEquals(gc.client.find(REPLICASETS, "a/rs"), undefined);
});

Deno.test("attemptToOrphan tells ten errors of many, and the number of the others", async () => {
  const gc = orphaning(25);
  gc.client.fail("patch", statusError(500, "InternalError"));
  const { message } = await assertRejects(() => attemptToOrphan(gc.graph.get("rs")!, gc.context), AggregateError);
  assertEquals(message.split("InternalError").length - 1, 10, message);
  assertEquals(message.endsWith(" and 15 more"), true, message);
});

Deno.test("attemptToOrphan ignores dependents that are gone", async () => {
  const gc = orphaning(2);
  gc.client.remove(PODS, "a/p0");
  await attemptToOrphan(gc.graph.get("rs")!, gc.context);
  assertEquals(gc.client.find(REPLICASETS, "a/rs"), undefined);
});

Deno.test("attemptToOrphan never takes an error merely caused by a 404 for a dependent that is gone", async () => {
  const gc = orphaning(1);
  gc.client.fail("patch pods", new Error("cannot get a token", { cause: statusError(404, "NotFound") }));
  await assertRejects(() => attemptToOrphan(gc.graph.get("rs")!, gc.context), AggregateError);
  assertEquals(gc.client.find(REPLICASETS, "a/rs")?.metadata?.finalizers, ["orphan"]);
});

Deno.test("removeFinalizer repeats on conflicts after 10, 50 and 250 ms and gives up after four tries", async () => {
  const gc = orphaning(0);
  gc.client.fail("patch", statusError(409, "Conflict"));
  const removal = removeFinalizer(RS, "orphan", gc.context);
  const refused = assertRejects(() => removal, Error, "Conflict");
  await gc.world.clock.advance(1);
  const tries = () => gc.client.lines.filter((call) => call.startsWith("patch")).length;
  const seen = [tries()];
  for (const ms of [11, 55, 275]) {
    await gc.world.clock.advance(ms);
    seen.push(tries());
  }
  assertEquals(seen, [1, 2, 3, 4]);
  await refused;
  assertEquals(gc.world.clock.pendingTimers, 0);
});

Deno.test("removeFinalizer is done when the object is gone, replaced, or has lost the finalizer", async () => {
  const stored = [undefined, object(REPLICASETS, "rs", { ...ORPHANING, uid: "another" }), object(REPLICASETS, "rs")];
  for (const present of stored) {
    const gc = new GcHarness();
    if (present) gc.client.store(REPLICASETS, present);
    await removeFinalizer(RS, "orphan", gc.context);
    assertEquals(gc.client.lines, ["get replicasets a/rs"]);
  }
});

Deno.test("attemptToOrphan keeps the finalizer when its signal aborts before all dependents were patched", async () => {
  const gc = orphaning(500);
  gc.client.onCall = () => {
    if (gc.client.calls.length >= 10) gc.stop.abort(new Error("stopped"));
  };
  await assertRejects(() => attemptToOrphan(gc.graph.get("rs")!, gc.context), Error, "stopped");
  assertEquals(gc.client.calls.length < 500, true, "it ends soon");
  assertEquals(gc.client.find(REPLICASETS, "a/rs")?.metadata?.finalizers, ["orphan"]);
});

import { settle } from "../../../../src/base/mod.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { type KubeObject, PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import type { GraphChange } from "../../../../src/controllers/garbage_collector/graph_change.ts";
import { identityOfOwner } from "../../../../src/controllers/garbage_collector/identity.ts";
import { Monitors } from "../../../../src/controllers/garbage_collector/monitors.ts";
import { FakeInformerSource } from "../fake_informer_source.ts";
import { FakeInformer } from "./fake_informer.ts";
import { object, ref, WIDGETS } from "./harness.ts";

function setUp() {
  const changes: GraphChange[] = [];
  const source = new FakeInformerSource();
  const monitors = new Monitors({ source, changes: { add: (change) => changes.push(change) } });
  const { informers, broken, dropped } = source;
  return { changes, informers, broken, dropped, monitors };
}

/** What a change is about, in short. */
function brief(change: GraphChange): string {
  return "object" in change ? `${change.type} ${change.of.kind} ${change.object.metadata?.uid}` : change.type;
}

Deno.test("Monitors: every change of a monitored object becomes one graph change, in order, with the kind of the resource", async () => {
  const { changes, informers, monitors } = setUp();
  await monitors.sync([PODS]);
  const pods = informers.get("pods")!;
  pods.add({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", ...object(PODS, "p") });
  pods.update(object(PODS, "p", { resourceVersion: "2" }));
  pods.delete(new DeletedFinalStateUnknown<KubeObject>("a/p", object(PODS, "p")));
  assertEquals(changes.map(brief), ["add Pod p", "update Pod p", "delete Pod p"]);
  assertEquals(pods.handlerOptions, [{ resyncPeriodMs: 0 }]);
});

Deno.test("Monitors turn an object replaced under its name into a deletion and an addition", async () => {
  const { changes, informers, monitors } = setUp();
  await monitors.sync([PODS]);
  informers.get("pods")!.add(object(PODS, "p", { uid: "old" }));
  informers.get("pods")!.update(object(PODS, "p", { uid: "new" }));
  assertEquals(changes.map(brief), ["add Pod old", "delete Pod old", "add Pod new"]);
});

Deno.test("Monitors ignore a missed deletion of an object whose uid nobody knows", async () => {
  const { changes, informers, monitors } = setUp();
  await monitors.sync([PODS]);
  informers.get("pods")!.delete(new DeletedFinalStateUnknown<KubeObject>("a/p", undefined));
  assertEquals(changes, []);
});

Deno.test("Monitors: after sync the monitors are those of the given resources; Monitors: a dropped monitor feeds the queue no more and its informer ends", async () => {
  const { changes, informers, dropped, monitors } = setUp();
  await monitors.sync([PODS, WIDGETS]);
  await monitors.sync([PODS, REPLICASETS]);
  assertEquals([...informers].map(([plural, { handlers }]) => [plural, handlers]), [
    ["pods", 1],
    ["widgets", 0],
    ["replicasets", 1],
  ]);
  assertEquals(dropped, ["widgets"]);
  informers.get("widgets")!.add(object(WIDGETS, "w"));
  assertEquals(changes, []);
});

Deno.test("Monitors say what they are about to tell: anything of a kind being listed, then what they have cached", async () => {
  const { informers, monitors } = setUp();
  const identity = (uid: string) => ({ apiVersion: "v1", kind: "Pod", namespace: "a", name: "p", uid });
  assertEquals(monitors.isAwaited(PODS, identity("p")), false, "nobody watches its kind");
  informers.set("pods", new FakeInformer({ hasSynced: false }));
  await monitors.sync([PODS]);
  assertEquals(monitors.isAwaited(PODS, identity("p")), true);
  informers.get("pods")!.sync();
  assertEquals(monitors.isAwaited(PODS, identity("p")), false, "it would be in the cache");
  informers.get("pods")!.add(object(PODS, "p"));
  assertEquals([monitors.isAwaited(PODS, identity("p")), monitors.isAwaited(PODS, identity("other"))], [true, false]);
});

Deno.test("Monitors process a kind that came back once more, which is harmless", async () => {
  const { changes, informers, monitors } = setUp();
  await monitors.sync([WIDGETS]);
  informers.get("widgets")!.add(object(WIDGETS, "w"));
  await monitors.sync([]);
  await monitors.sync([WIDGETS]);
  assertEquals(changes.map(brief), ["add Widget w", "add Widget w"]);
});

Deno.test("Monitors.sync makes the others when one cannot be made, and says so", async () => {
  const { broken, monitors } = setUp();
  broken.add("widgets");
  const error = await assertRejects(() => monitors.sync([WIDGETS, PODS]), AggregateError);
  assertEquals(error.message, `couldn't start monitor for resource "example.com/v1/widgets": no informer`);
  assertEquals([monitors.size, monitors.isSynced(PODS), monitors.isSynced(WIDGETS)], [1, true, false]);
});

Deno.test("Monitors have synced when all have", async () => {
  const { informers, monitors } = setUp();
  informers.set("replicasets", new FakeInformer({ hasSynced: false }));
  await monitors.sync([PODS, REPLICASETS]);
  const stop = new AbortController();
  let synced: boolean | undefined;
  const waiting = monitors.whenSynced(stop.signal).then((all) => synced = all);
  await settle();
  assertEquals([synced, monitors.isSynced(PODS), monitors.isSynced(REPLICASETS)], [undefined, true, false]);
  informers.get("replicasets")!.sync();
  await waiting;
  assertEquals([synced, monitors.isSynced(REPLICASETS)], [true, true]);
});

Deno.test("Monitors.cached gives an informer's object only if it is the same one", async () => {
  const { informers, monitors } = setUp();
  await monitors.sync([PODS]);
  informers.get("pods")!.add(object(PODS, "p"));
  const identity = identityOfOwner(ref(PODS, "p"), "a");
  assertEquals(monitors.cached(PODS, identity), object(PODS, "p"));
  assertEquals(monitors.cached(PODS, { ...identity, uid: "another" }), undefined);
  assertEquals(monitors.cached(WIDGETS, identity), undefined);
});

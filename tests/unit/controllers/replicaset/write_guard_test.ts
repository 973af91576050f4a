import { assertEquals, assertThrows } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { PODS, REPLICASETS } from "../../../../src/api/mod.ts";
import { ConsistencyStore, StaleCacheError } from "../../../../src/cache/mod.ts";
import { WriteGuard } from "../../../../src/controllers/running/mod.ts";
import { pod } from "./fixtures.ts";

Deno.test("WriteGuard remembers nothing for a pod that another kind has taken over", () => {
  const store = new ConsistencyStore({ clock: new FakeWorld().clock, caches: [] });
  const guard = new WriteGuard(store, REPLICASETS);
  const [controller] = pod("p").metadata!.ownerReferences!;
  guard.wrotePod(pod("p", { resourceVersion: "5", ownerReferences: [{ ...controller, kind: "StatefulSet" }] }));
  guard.wrotePod(pod("p", { resourceVersion: "5", isOwned: false }));
  assertEquals(store.size, 0);
  guard.wrotePod(pod("p", { resourceVersion: "5" }));
  assertEquals(store.size, 1);
});

Deno.test("WriteGuard that is off keeps no sync from acting", () => {
  const store = new ConsistencyStore({ clock: new FakeWorld().clock, caches: [[PODS, { resourceVersion: "1" }]] });
  const written = pod("p", { resourceVersion: "5" });
  const key = `${written.metadata?.namespace}/${written.metadata?.ownerReferences?.[0].name}`;
  new WriteGuard(store, REPLICASETS).wrotePod(written);
  assertThrows(() => new WriteGuard(store, REPLICASETS).ensureReady(key), StaleCacheError);
  new WriteGuard(store, REPLICASETS, { isOff: true }).ensureReady(key);
});

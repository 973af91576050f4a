import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../src/base/mod.ts";
import { REPLICASETS } from "../../src/api/mod.ts";
import { ConsistencyStore } from "../../src/cache/mod.ts";
import { WriteGuard } from "../../src/controllers/replicaset/mod.ts";
import { pod } from "./replicaset_fixtures.ts";

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

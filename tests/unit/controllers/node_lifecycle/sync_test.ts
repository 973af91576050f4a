import { assertEquals, assertRejects } from "@std/assert";
import { NODES } from "../../../../src/api/mod.ts";
import { StatusError } from "../../../../src/client/mod.ts";
import { syncNode } from "../../../../src/controllers/node_lifecycle/sync.ts";
import { statusError } from "../status_errors.ts";
import { LifecycleRig, node } from "./lifecycle_rig.ts";

const LEFT_OVER = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];

Deno.test("a taint that cannot be removed is tried again, and the labels are written all the same", async () => {
  const rig = new LifecycleRig();
  rig.begin(node("a", { taints: LEFT_OVER, labels: { "kubernetes.io/os": "linux" } }));
  rig.client.fail("patch nodes a", statusError(500, "InternalError"), { times: 1 });
  await assertRejects(() => syncNode("a", rig.context), StatusError);
  assertEquals(rig.taints("a"), ["not-ready:NoSchedule"]);
  assertEquals(rig.client.find(NODES, "a")?.metadata?.labels?.["beta.kubernetes.io/os"], "linux");
  await syncNode("a", rig.context);
  assertEquals(rig.taints("a"), []);
});

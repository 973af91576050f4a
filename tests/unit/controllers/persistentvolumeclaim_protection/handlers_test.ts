import { assertEquals } from "@std/assert";
import type { PersistentVolumeClaim, Pod } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { claimHandler, podHandler } from "../../../../src/controllers/persistentvolumeclaim_protection/handlers.ts";

const OURS = "kubernetes.io/pvc-protection";

function pod({ claim = "c", uid = "u", nodeName = "n", phase = "Running" } = {}): Pod {
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: claim } }, { name: "e", ephemeral: {} }];
  return {
    metadata: { namespace: "a", name: "p", uid },
    spec: { containers: [], nodeName: nodeName || undefined, volumes },
    status: { phase },
  };
}

function setUp(tellsUnused = false) {
  const keys: string[] = [];
  const context = { queue: { add: (key: string) => void keys.push(key) }, tellsUnused };
  const heard = () => keys.splice(0);
  return { pods: podHandler(context), claims: claimHandler(context), heard };
}

Deno.test("a pod queues its claims when it frees them, or cannot hold them yet", () => {
  const { pods, heard } = setUp();
  pods.onAdd?.(pod(), true);
  pods.onUpdate?.(pod(), pod());
  assertEquals(heard(), []);
  pods.onUpdate?.(pod(), pod({ phase: "Succeeded" }));
  assertEquals(heard(), ["a/c", "a/p-e"]);
  pods.onAdd?.(pod({ nodeName: "" }), false);
  assertEquals(heard(), ["a/c", "a/p-e"]);
  pods.onDelete?.(pod());
  assertEquals(heard(), ["a/c", "a/p-e"]);
});

Deno.test("a pod that went unseen queues its claims, and so does one that another took the place of", () => {
  const { pods, heard } = setUp();
  pods.onDelete?.(new DeletedFinalStateUnknown("a/p", pod()));
  assertEquals(heard(), ["a/c", "a/p-e"]);
  pods.onDelete?.(new DeletedFinalStateUnknown<Pod>("a/p", undefined));
  assertEquals(heard(), []);
  pods.onUpdate?.(pod({ claim: "old", uid: "old" }), pod({ claim: "new" }));
  assertEquals(heard(), ["a/old", "a/p-e"]);
});

Deno.test("with PersistentVolumeClaimUnusedSinceTime every change of a pod counts, and claims that do not say", () => {
  const { pods, claims, heard } = setUp(true);
  pods.onUpdate?.(pod(), pod());
  assertEquals(heard(), ["a/c", "a/p-e"]);
  const conditions = [{ type: "Unused", status: "True" }];
  const claim = (status: PersistentVolumeClaim["status"]) => ({
    metadata: { namespace: "a", name: "c", finalizers: [OURS] },
    status,
  });
  claims.onAdd?.(claim({}), false);
  claims.onAdd?.(claim({ conditions }), false);
  assertEquals(heard(), ["a/c"]);
});

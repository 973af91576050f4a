import { assertEquals } from "@std/assert";
import type { PersistentVolumeClaim } from "../../../../src/api/mod.ts";
import { claimHandler } from "../../../../src/controllers/persistentvolume_expander/handlers.ts";

function claim(requested: string, claimed?: string, phase = "Bound"): PersistentVolumeClaim {
  return {
    metadata: { namespace: "a", name: `${phase}-${requested}-${claimed}` },
    spec: { resources: { requests: { storage: requested } } },
    status: { phase, ...claimed ? { capacity: { storage: claimed } } : {} },
  };
}

Deno.test("claims are queued that appear, ask for more or have got more, and only those that are bound", () => {
  const queued: string[] = [];
  const handler = claimHandler({ add: (key) => void queued.push(key) });
  handler.onAdd?.(claim("1Gi"), false);
  handler.onAdd?.(claim("1Gi", undefined, "Pending"), false);
  handler.onUpdate?.(claim("1Gi", "1Gi"), claim("2Gi", "1Gi"));
  handler.onUpdate?.(claim("2Gi"), claim("2Gi", "2Gi"));
  handler.onUpdate?.(claim("1Gi", "1Gi"), claim("1024Mi", "1Gi"));
  handler.onUpdate?.(claim("2Gi", "1Gi"), claim("1Gi", "1Gi"));
  handler.onUpdate?.(claim("1Gi", "1Gi", "Lost"), claim("2Gi", "1Gi", "Lost"));
  assertEquals(queued, ["a/Bound-1Gi-undefined", "a/Bound-2Gi-1Gi", "a/Bound-2Gi-2Gi"]);
});

import { assertEquals } from "@std/assert";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { roleHandler } from "../../../../src/controllers/clusterrole_aggregation/handlers.ts";

Deno.test("roleHandler: every change of any role queues all aggregated ones", () => {
  const keys: string[] = [];
  const handler = roleHandler({ add: (key) => void keys.push(key) }, () => ["a", "b"]);
  const role = { metadata: { name: "x" } };
  handler.onAdd?.(role, true);
  handler.onUpdate?.(role, role);
  handler.onDelete?.(new DeletedFinalStateUnknown("x", role));
  assertEquals(keys, ["a", "b", "a", "b", "a", "b"]);
});

import { assertEquals } from "@std/assert";
import { ClusterSize } from "../../../../src/controllers/ttl/cluster_size.ts";

/** What every node is told after so many came, and then so many went. */
function told(come: number, go = 0): number {
  const size = new ClusterSize();
  for (let i = 0; i < come; i++) size.add();
  for (let i = 0; i < go; i++) size.remove();
  return size.ttlSeconds;
}

Deno.test("ClusterSize: a node more than a step's most goes one step up, a node fewer than its least one step down", () => {
  const growing = [[0, 0], [99, 0], [100, 0], [101, 15], [500, 15], [501, 30], [1000, 30], [1001, 60], [2000, 60]];
  for (const [nodes, seconds] of [...growing, [2001, 300], [10_000, 300]]) {
    assertEquals(told(nodes), seconds, `${nodes}`);
  }
  const shrinking = [[101, 11, 15], [101, 12, 0], [501, 51, 30], [501, 52, 15], [1001, 101, 60], [1001, 102, 30]];
  for (const [come, go, seconds] of [...shrinking, [2001, 201, 300], [2001, 202, 60], [10_000, 1, 300]]) {
    assertEquals(told(come, go), seconds, `${come} - ${go}`);
  }
});

Deno.test("ClusterSize: in between the time stays as it is", () => {
  for (const nodes of [90, 95, 100]) {
    assertEquals([told(nodes), told(120, 120 - nodes)], [0, 15]);
  }
});

Deno.test("ClusterSize goes down to nothing as it came up", () => {
  assertEquals(told(3000, 3000), 0);
});

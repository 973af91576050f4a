import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import type { GroupReport } from "../../../../src/manager/groups/group_messages.ts";
import { GroupRunner } from "../../../../src/manager/groups/group_runner.ts";

Deno.test("GroupRunner: ping is answered as soon as the event loop turns", async () => {
  const reports: GroupReport[] = [];
  const runner = new GroupRunner({
    port: { postMessage: (sent) => reports.push(...sent) },
    clock: new FakeClock(),
    heap: () => ({ usedBytes: 3, limitBytes: 4 }),
    readFence: () => 0n,
    rows: [],
  });
  runner.receive([{ what: "ping", id: 7 }]);
  await Promise.resolve();
  assertEquals(reports, [{ what: "pong", id: 7, heapBytes: 3, heapLimitBytes: 4, setAside: [] }]);
});

/**
 * The entry of a controller group's Web Worker. It refuses to run with any permission but that to reach one address: what it has,
 * it has through its port.
 */
/// <reference lib="deno.worker" />
import { SystemClock } from "../../base/mod.ts";
import { getHeapStatistics } from "node:v8";
import type { GroupCommand } from "./group_messages.ts";
import { GroupRunner } from "./group_runner.ts";

const KINDS = ["env", "ffi", "net", "read", "run", "sys", "write"] as const;
const granted = KINDS.filter((name) => Deno.permissions.querySync({ name }).state === "granted");
if (granted.length > 0) throw new Error(`a controller group must not have permissions, but has: ${granted.join(", ")}`);

const runner = new GroupRunner({
  port: self,
  clock: new SystemClock(),
  heap: () => {
    const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics();
    return { usedBytes, limitBytes };
  },
});

// An error that nobody handles ends the thread right after these.
for (const last of ["error", "unhandledrejection"]) self.addEventListener(last, () => runner.flush());

self.onmessage = ({ data }: MessageEvent<readonly GroupCommand[]>) => runner.receive(data);

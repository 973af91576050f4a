/** The entry point of a controller group's Web Worker. Its port is its only access to anything. */
/// <reference lib="deno.worker" />
// Before anything else, whatever it imports.
import { readFence } from "./confinement.ts";
import { SystemClock } from "../../base/mod.ts";
import { CONTROLLERS } from "../../controllers/mod.ts";
import { getHeapStatistics } from "node:v8";
import type { GroupCommand } from "./group_messages.ts";
import { GroupRunner } from "./group_runner.ts";

const runner = new GroupRunner({
  port: self,
  clock: new SystemClock(),
  heap: () => {
    const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics();
    return { usedBytes, limitBytes };
  },
  readFence,
  rows: CONTROLLERS,
});

// An unhandled error ends the thread right after these.
for (const last of ["error", "unhandledrejection"]) self.addEventListener(last, () => runner.flush());

self.onmessage = ({ data }: MessageEvent<readonly GroupCommand[]>) => runner.receive(data);

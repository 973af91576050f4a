import type { GroupThread } from "./group.ts";

/** Starts the Web Worker of a controller group, without permission to anything: no network, no files, no environment. */
export function startGroupThread(group: string): GroupThread {
  return new Worker(new URL("./group_worker.ts", import.meta.url), {
    type: "module",
    name: group,
    deno: { permissions: "none" },
  });
}

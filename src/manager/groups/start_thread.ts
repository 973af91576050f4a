import type { GroupThread } from "./group.ts";

/** How the worker of a group is started: without permission to anything, be it network, files or environment. */
export const THREAD_OPTIONS = { type: "module", deno: { permissions: "none" } } as const;

/** Starts the Web Worker of a controller group. */
export function startGroupThread(group: string): GroupThread {
  return new Worker(new URL("./group_worker.ts", import.meta.url), { ...THREAD_OPTIONS, name: group });
}

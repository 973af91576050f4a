import type { GroupThread } from "./group_life.ts";

/**
 * How the worker of a group is started: without permission to files, environment, other programs or the network, but for the API
 * server's address where the group sends by itself.
 */
export function threadOptions(address?: string) {
  const permissions: "none" | Deno.PermissionOptionsObject = address === undefined ? "none" : {
    net: [address],
    env: false,
    ffi: false,
    import: false,
    read: false,
    run: false,
    sys: false,
    write: false,
  };
  return { type: "module", deno: { permissions } } as const;
}

/** Starts the Web Worker of a controller group, which may reach `address`, if given, and nothing else. */
export function startGroupThread(group: string, address?: string): GroupThread {
  return new Worker(new URL("./group_worker.ts", import.meta.url), { ...threadOptions(address), name: group });
}

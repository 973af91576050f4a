import type { GroupThread } from "./group_life.ts";

/**
 * Options for starting a group's worker: without permission to use files, environment, other programs or the network,
 * except the API server's address if the group sends directly.
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

/** Starts a controller group's Web Worker, which may reach only `address`, if given. */
export function startGroupThread(group: string, address?: string): GroupThread {
  return new Worker(new URL("./group_worker.ts", import.meta.url), { ...threadOptions(address), name: group });
}

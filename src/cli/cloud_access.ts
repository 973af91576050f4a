import { fetchTransport } from "../client/mod.ts";
import type { CloudProviderFactory } from "../cloud/mod.ts";
import type { CloudAccess } from "../manager/mod.ts";

/** How the programs reach clouds: by this process's environment and network. */
export function cloudAccess(providers?: readonly CloudProviderFactory[]): CloudAccess {
  return { providers, env: (name) => Deno.env.get(name), connect: fetchTransport };
}

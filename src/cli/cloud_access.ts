import { fetchTransport } from "../client/mod.ts";
import type { CloudProviderFactory } from "../cloud/mod.ts";
import type { CloudAccess } from "../manager/mod.ts";

/** Access to clouds through this process's environment and network. */
export function cloudAccess(providers?: readonly CloudProviderFactory[]): CloudAccess {
  return { providers, env: (name) => Deno.env.get(name), connect: fetchTransport };
}

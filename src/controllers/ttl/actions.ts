import { NODES } from "../../api/mod.ts";
import type { TtlContext } from "./context.ts";

/** How many seconds a node's kubelet may cache Secrets and ConfigMaps, as a decimal number. */
export const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";

export async function writeTtl(name: string, seconds: number, { client }: Pick<TtlContext, "client">): Promise<void> {
  const body = { metadata: { annotations: { [TTL_ANNOTATION]: String(seconds) } } };
  await client.patchMetadata(NODES, { name }, { type: "strategic", body });
}

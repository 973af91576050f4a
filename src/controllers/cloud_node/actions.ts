import { type Node, type NodeAddress, NODES } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { CloudNodeContext } from "./context.ts";

/** What writing to nodes needs. */
type ActionContext = Pick<CloudNodeContext, "client">;

/** Replaces a node except its status, if it still has the version that was read. */
export async function writeNode(node: Node, { client }: ActionContext): Promise<void> {
  await client.update(NODES, node);
}

/** Replaces all addresses: a merge by type would lose one of two addresses of the same type. */
export async function writeAddresses(
  node: Node,
  addresses: readonly NodeAddress[],
  { client }: ActionContext,
): Promise<void> {
  const body = { status: { addresses: [...addresses, { $patch: "replace" }] } };
  await client.patch(NODES, refOf(node), { type: "strategic", body, subresource: "status" });
}

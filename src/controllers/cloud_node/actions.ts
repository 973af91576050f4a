import { type Node, type NodeAddress, NODES } from "../../api/mod.ts";
import { refOf } from "../running/mod.ts";
import type { CloudNodeContext } from "./context.ts";

/** What writes to nodes. */
type ActionContext = Pick<CloudNodeContext, "client">;

/** Writes a node as a whole, if it still has the version that was seen. Its status is not touched. */
export async function writeNode(node: Node, { client }: ActionContext): Promise<void> {
  await client.update(NODES, node);
}

/** Replaces all addresses: they are merged by type otherwise, and one of two of the same type would be lost. */
export async function writeAddresses(
  node: Node,
  addresses: readonly NodeAddress[],
  { client }: ActionContext,
): Promise<void> {
  const body = { status: { addresses: [...addresses, { $patch: "replace" }] } };
  await client.patch(NODES, refOf(node), { type: "strategic", body, subresource: "status" });
}

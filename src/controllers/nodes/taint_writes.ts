import type { World } from "../../base/mod.ts";
import { formatTime, type Node, NODES, type Taint } from "../../api/mod.ts";
import { type Client, type ConflictRetry, isConflict, retryOnConflict } from "../../client/mod.ts";
import { hasTaint, type TaintIdentity, taintsWith, taintsWithout } from "./taints.ts";

/**
 * Other writers of nodes finish soon. The first try comes before these. Upstream: `pkg/controller/controller_utils.go`
 * (UpdateTaintBackoff).
 */
const RETRY: ConflictRetry = { tries: 4, initialMs: 100, factor: 1, jitter: 1 };

/** What writing taints needs. */
export interface TaintWriter {
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch">;
}

/**
 * Adds taints to a node, with the current time, then removes others if the cached node has them.
 * Upstream: `pkg/controller/util/node/controller_utils.go` (SwapNodeControllerTaint).
 *
 * @throws {StatusError} If the node is gone, or others changed it five times in a row.
 */
export async function swapTaints(
  node: Node,
  { added, removed }: { readonly added: readonly TaintIdentity[]; readonly removed: readonly TaintIdentity[] },
  writer: TaintWriter,
): Promise<void> {
  const timeAdded = formatTime(writer.world.clock.wallMs());
  const taints = added.map(({ key, effect }) => ({ key, effect, timeAdded }));
  if (taints.length > 0) await write(node, (present) => taintsWith(present, taints), writer);
  await removeTaints(node, removed, writer);
}

/**
 * Adds taints to a node, unchanged.
 *
 * @throws {StatusError} As {@link swapTaints}.
 */
export async function addTaints(node: Node, taints: readonly Taint[], writer: TaintWriter): Promise<void> {
  await write(node, (present) => taintsWith(present, taints), writer);
}

/**
 * Removes taints from a node. Sends nothing if the cached node has none of them.
 *
 * @throws {StatusError} As {@link swapTaints}.
 */
export async function removeTaints(
  node: Node,
  removed: readonly TaintIdentity[],
  writer: TaintWriter,
): Promise<void> {
  if (!removed.some((taint) => hasTaint(node.spec?.taints, taint))) return;
  await write(node, (present) => taintsWithout(present, removed), writer);
}

/**
 * Writes all taints of a node with the resource version they were read at: the list is replaced as a whole, and changes
 * by others would be lost.
 *
 * @param change Returns `undefined` if there is nothing to write.
 */
async function write(
  { metadata }: Node,
  change: (present: readonly Taint[] | undefined) => readonly Taint[] | undefined,
  { world, client }: TaintWriter,
): Promise<void> {
  const ref = { name: metadata?.name ?? "" };
  const tryWrite = async (resourceVersion?: "0") => {
    const read = await client.get(NODES, ref, { resourceVersion });
    const taints = change(read.spec?.taints);
    if (!taints) return;
    const body = {
      metadata: { resourceVersion: read.metadata?.resourceVersion },
      spec: { taints: taints.length > 0 ? taints : null },
    };
    await client.patch(NODES, ref, { type: "strategic", body });
  };
  try {
    await tryWrite("0"); // the API server's cache will do, unless it was behind
  } catch (error) {
    if (!isConflict(error)) throw error;
    await retryOnConflict(world, () => tryWrite(), { retry: RETRY });
  }
}

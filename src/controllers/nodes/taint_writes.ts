import type { World } from "../../base/mod.ts";
import { formatTime, type Node, NODES, type Taint } from "../../api/mod.ts";
import { type Client, type ConflictRetry, isConflict, retryOnConflict } from "../../client/mod.ts";
import { hasTaint, type TaintIdentity, taintsWith, taintsWithout } from "./taints.ts";

/**
 * Whoever else writes to nodes is soon done; one more try came before. Upstream: `pkg/controller/controller_utils.go`
 * (UpdateTaintBackoff).
 */
const RETRY: ConflictRetry = { tries: 4, initialMs: 100, factor: 1, jitter: 1 };

/** What writes taints. */
export interface TaintWriter {
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch">;
}

/**
 * Gives a node taints, with the present time, then takes others away that the cached node has.
 * Upstream: `pkg/controller/util/node/controller_utils.go` (SwapNodeControllerTaint).
 *
 * @throws {StatusError} If the node is gone, or was changed by others five times in a row.
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
 * Gives a node taints as they are.
 *
 * @throws {StatusError} As {@link swapTaints}.
 */
export async function addTaints(node: Node, taints: readonly Taint[], writer: TaintWriter): Promise<void> {
  await write(node, (present) => taintsWith(present, taints), writer);
}

/**
 * Takes taints away from a node. Nothing is asked if the cached node has none of them.
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
 * Writes all taints of a node, with the version they were read at: the list is replaced as a whole, and what others wrote
 * meanwhile would be lost.
 *
 * @param change Gives `undefined` where nothing is to be written.
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

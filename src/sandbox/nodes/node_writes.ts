import { formatMicroTime, LEASES, type Node, NODES } from "../../api/mod.ts";
import { sleep, type World } from "../../base/mod.ts";
import { type Client, isAlreadyExists, isNotFound } from "../../client/mod.ts";
import { nodeLease } from "./node_object.ts";

/** What writes about nodes go through. */
export interface NodeWriter {
  readonly world: World;
  readonly client: Client;
  /** Ends waits and retries. */
  readonly signal: AbortSignal;
}

const NOT_READY_TAINT = "node.kubernetes.io/not-ready";
const LEASE_RENEW_MS = 10_000;
const RETRY_MS = 1000;

/** Creates the node, retrying until the server takes it; `false` if the signal ended it. */
export async function registerNode(writer: NodeWriter, node: Node): Promise<boolean> {
  const { world, client, signal } = writer;
  while (!signal.aborted) {
    try {
      await untaint(writer, await client.create(NODES, node, { signal }));
      return true;
    } catch (err) {
      if (isAlreadyExists(err)) return true;
      if (signal.aborted) break;
      world.log.warn("Simulated node could not register; will try again", { node: node.metadata?.name, err });
      await sleep(world.clock, RETRY_MS, signal);
    }
  }
  return false;
}

/** New nodes are tainted until the node lifecycle controller sees them ready; there may be none. */
async function untaint({ client, signal }: NodeWriter, { metadata, spec }: Node): Promise<void> {
  const taints = spec?.taints?.filter(({ key }) => key !== NOT_READY_TAINT) ?? [];
  if (taints.length === (spec?.taints?.length ?? 0)) return;
  const body = { spec: { taints: taints.length > 0 ? taints : null } };
  await client.patch(NODES, { name: metadata?.name ?? "" }, { type: "merge", body, signal });
}

/** Renews the leases of the nodes that `nodes` gives, every 10 seconds until the signal aborts. */
export async function renewLeases(writer: NodeWriter, nodes: () => readonly Node[]): Promise<void> {
  const { world, signal } = writer;
  while (!signal.aborted) {
    for (const node of nodes()) await renewLease(writer, node);
    await sleep(world.clock, LEASE_RENEW_MS, signal);
  }
}

async function renewLease({ world, client, signal }: NodeWriter, node: Node): Promise<void> {
  const lease = nodeLease(node, formatMicroTime(world.clock.wallMs()));
  const { namespace, name = "" } = lease.metadata ?? {};
  const failed = (err: unknown) => {
    if (!signal.aborted) world.log.warn("Simulated node could not renew its lease", { node: name, err });
  };
  try {
    const body = { spec: { renewTime: lease.spec?.renewTime } };
    await client.patch(LEASES, { namespace, name }, { type: "merge", body, signal });
  } catch (err) {
    if (!isNotFound(err)) return failed(err);
    // Without the node's uid, its lease would be collected as garbage at once.
    if (!node.metadata?.uid) return;
    await client.create(LEASES, lease, { signal }).catch(failed);
  }
}

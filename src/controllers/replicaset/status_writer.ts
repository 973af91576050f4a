import { objectKey, type ReplicaSetStatus } from "../../api/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";
import { isSameStatus } from "./status.ts";

/**
 * Writes the status if it differs from the one in the cache. A refused write is tried once more on the object as the
 * API server has it now, still with the generation that this status was computed for.
 * Upstream: `pkg/controller/replicaset/replica_set_utils.go` (updateReplicaSetStatus).
 *
 * @returns The object with the status: the server's answer, or `owner` itself if there was nothing to write.
 * @throws {StatusError} That of the read in between, or of the second write.
 * @throws {Error} If another object has its name by now, whose status this is not.
 */
export async function writeStatus<T extends ReplicaOwner>(
  client: Pick<Client, "get" | "updateStatus">,
  kind: ReplicaKind<T>,
  { owner, status }: { readonly owner: T; readonly status: ReplicaSetStatus },
): Promise<T> {
  if (isSameStatus(owner.status, status)) return owner;
  try {
    return await client.updateStatus(kind.resource, { ...owner, status });
  } catch {
    const fresh = await client.get(kind.resource, {
      namespace: owner.metadata?.namespace,
      name: owner.metadata?.name ?? "",
    });
    if (fresh.metadata?.uid !== owner.metadata?.uid) {
      const what = `${kind.resource.kind} ${objectKey(owner)}`;
      throw new Error(`Cannot write the status of ${what}: it was replaced by another one of its name`);
    }
    return await client.updateStatus(kind.resource, { ...fresh, status });
  }
}

import { type Lease, objectKey, type StorageVersion } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { CollectorContext } from "./context.ts";
import { IDENTITY_NAMESPACE, isIdentityLease } from "./identity_lease.ts";

/** Queues an API server's deleted lease by its name. */
export function leaseHandler({ leaseQueue }: Pick<CollectorContext, "leaseQueue">): EventHandler<Lease> {
  return {
    onDelete: (deleted) => {
      const lease = finalStateOf(deleted);
      if (lease && isIdentityLease(lease)) leaseQueue.add(lease.metadata!.name!, cause("lease", lease, "deleted"));
    },
  };
}

/** Queues a StorageVersion if it names an API server whose lease is not in the cache. */
export function versionHandler(
  { leases, versionQueue }: Pick<CollectorContext, "leases" | "versionQueue">,
): EventHandler<StorageVersion> {
  const look = (version: StorageVersion, what: Change) => {
    const isStale = version.status?.storageVersions?.some(({ apiServerID = "" }) => {
      const lease = leases.get(IDENTITY_NAMESPACE, apiServerID);
      return !lease || !isIdentityLease(lease);
    });
    if (isStale) versionQueue.add(objectKey(version), cause("storageversion", version, what));
  };
  return {
    onAdd: (version) => look(version, "added"),
    onUpdate: (before, version) => look(version, changeOf(before, version)),
  };
}

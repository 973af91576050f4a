import { type Lease, LEASES, type StorageVersion, STORAGEVERSIONS } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { aggregateErrors, serverSays } from "../running/mod.ts";
import { keepEntries } from "./actions.ts";
import type { CollectorContext } from "./context.ts";
import { IDENTITY_NAMESPACE, isIdentityLease } from "./identity_lease.ts";
import type { ServerEntry } from "./status.ts";

/**
 * Removes the entries of an API server whose lease is gone.
 * Upstream: `pkg/controller/storageversiongc/gc_controller.go` (processDeletedLease).
 *
 * @param name The lease's, and the API server's id.
 * @throws {Error} If the lease cannot be read, or some StorageVersion was not written.
 */
export async function syncLease(name: string, context: CollectorContext): Promise<void> {
  const { client } = context;
  if (await findLease(name, context)) return;
  const errors: unknown[] = [];
  for (const version of (await client.list(STORAGEVERSIONS)).items) {
    const entries = entriesOf(version);
    const left = entries.filter(({ apiServerID }) => apiServerID !== name);
    if (left.length === entries.length) continue;
    await keepEntries(version, left, context).catch((error) => errors.push(error));
  }
  const failure = aggregateErrors(errors);
  if (failure) throw failure;
}

/**
 * Removes the entries of API servers without a lease from a StorageVersion. Upstream also removes an entry if its lease
 * cannot be read for any other reason.
 * Upstream: `pkg/controller/storageversiongc/gc_controller.go` (syncStorageVersion).
 *
 * @throws {Error} If a lease cannot be read, or the StorageVersion was not written.
 */
export async function syncVersion(name: string, context: CollectorContext): Promise<void> {
  const version = await find(() => context.client.get(STORAGEVERSIONS, { name }));
  if (!version) return;
  const left: ServerEntry[] = [];
  for (const entry of entriesOf(version)) {
    const lease = entry.apiServerID ? await findLease(entry.apiServerID, context) : undefined;
    if (lease && isIdentityLease(lease)) left.push(entry);
  }
  if (left.length < entriesOf(version).length) await keepEntries(version, left, context);
}

function entriesOf({ status }: StorageVersion): readonly ServerEntry[] {
  return status?.storageVersions ?? [];
}

function findLease(name: string, { client }: CollectorContext): Promise<Lease | undefined> {
  return find(() => client.get(LEASES, { namespace: IDENTITY_NAMESPACE, name }));
}

/** The object, or `undefined` if the server says that it does not exist. */
async function find<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (serverSays(error, isNotFound)) return undefined;
    throw error;
  }
}

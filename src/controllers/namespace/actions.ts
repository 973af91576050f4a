import type { World } from "../../base/mod.ts";
import { formatTime, KUBERNETES_FINALIZER, type Namespace, NAMESPACES } from "../../api/mod.ts";
import { type Client, isConflict } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import { deletionConditions, type DeletionFindings, mergeConditions } from "./status.ts";

/** The requests that the namespace controller makes to the API server about namespaces. */
export type NamespaceClient = Pick<Client, "get" | "update" | "updateStatus">;

/** Sets the phase Terminating if it is not there yet. */
export function markTerminating(
  client: NamespaceClient,
  namespace: Namespace,
  signal: AbortSignal,
): Promise<Namespace> {
  return writeLatest({ client, namespace, signal }, (latest) => {
    if (!latest.metadata?.deletionTimestamp || latest.status?.phase === "Terminating") return Promise.resolve(latest);
    return client.updateStatus(NAMESPACES, { ...latest, status: { ...latest.status, phase: "Terminating" } });
  });
}

/** Removes our finalizer from the spec; the API server then removes the namespace, unless other finalizers hold it. */
export function finalize(client: NamespaceClient, namespace: Namespace, signal: AbortSignal): Promise<Namespace> {
  return writeLatest({ client, namespace, signal }, ({ apiVersion, kind, metadata, spec }) => {
    const others = new Set((spec?.finalizers ?? []).filter((name) => name !== KUBERNETES_FINALIZER));
    const body: Namespace = { apiVersion, kind, metadata, spec: { ...spec, finalizers: [...others].sort() } };
    return client.update(NAMESPACES, body, { subresource: "finalize" });
  });
}

/**
 * Reports the progress of the deletion in the namespace's conditions. A failure is only logged, because it must not
 * stop the deletion.
 *
 * @returns The namespace as it was written, or as it was given.
 */
export async function writeConditions(
  namespace: Namespace,
  findings: DeletionFindings,
  { world, client }: { readonly world: World; readonly client: Pick<Client, "updateStatus"> },
): Promise<Namespace> {
  const now = formatTime(world.clock.wallMs());
  const conditions = mergeConditions(namespace.status?.conditions ?? [], deletionConditions(findings), now);
  if (!conditions) return namespace;
  try {
    return await client.updateStatus(NAMESPACES, { ...namespace, status: { ...namespace.status, conditions } });
  } catch (error) {
    world.log.error("couldn't update status condition for namespace", {
      namespace: namespace.metadata?.name,
      err: error,
    });
    return namespace;
  }
}

/**
 * Calls `write`, and again with a fresh copy after each conflict, at once and without a limit, because the namespace
 * must be deleted.
 * Upstream: `pkg/controller/namespace/deletion/namespaced_resources_deleter.go` (retryOnConflictError).
 *
 * @throws {Error} If the namespace was replaced by another of its name.
 * @throws What `write` fails with besides conflicts, or the signal's reason when it aborts.
 */
async function writeLatest(
  { client, namespace, signal }: { client: NamespaceClient; namespace: Namespace; signal: AbortSignal },
  write: (latest: Namespace) => Promise<Namespace>,
): Promise<Namespace> {
  for (let latest = namespace;;) {
    try {
      return await write(latest);
    } catch (error) {
      if (!serverSays(error, isConflict)) throw error;
    }
    signal.throwIfAborted();
    const before = latest.metadata;
    latest = await client.get(NAMESPACES, { name: before?.name ?? "" });
    if (latest.metadata?.uid !== before?.uid) throw new Error("namespace uid has changed across retries");
  }
}

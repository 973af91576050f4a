import type { KubeObject } from "../../api/mod.ts";
import type { GraphView } from "./graph.ts";
import { type Identity, identityOfOwner, sameIdentity } from "./identity.ts";
import type { CachedObjects } from "./live_objects.ts";
import { isDeletingDependents } from "./transitions.ts";

/** What the monitors say. */
export interface Observations {
  readonly graph: GraphView;
  /** An object as its monitor shows it. */
  readonly cached: CachedObjects;
  /** Whether a monitor will soon show this object, if it exists: nobody else need be asked about it. */
  readonly isAwaited: (identity: Identity) => Promise<boolean>;
}

/**
 * Whether nothing is to be done about an object as far as the monitors know: it has no owner, or every one keeps it.
 *
 * Contract:
 * 1. It says so only if each owner is in a monitor's cache exactly as the reference names it, or will soon be there. In
 *    the second case its virtual node has that identity, so that the graph queues the object if the owner proves to be
 *    absent, or another one.
 * 2. An owner that waits for the deletion of its dependents keeps nothing.
 *
 * An answer that is out of date by now costs nothing: what changes it is on its way to the graph, which queues the
 * object again. Upstream asks the API server for the object and for each owner.
 *
 * @throws {UnmappedKindError} If an owner's kind is not served.
 */
export async function isKeptAsObserved(
  { namespace }: Identity,
  seen: KubeObject,
  { cached, isAwaited, graph }: Observations,
): Promise<boolean> {
  for (const reference of seen.metadata?.ownerReferences ?? []) {
    const identity = identityOfOwner(reference, namespace);
    const owner = await cached(identity);
    if (owner && !isDeletingDependents(owner)) continue;
    const known = graph.get(reference.uid);
    if (owner || !known?.virtual || !sameIdentity(known.identity, identity) || !await isAwaited(identity)) return false;
  }
  return true;
}

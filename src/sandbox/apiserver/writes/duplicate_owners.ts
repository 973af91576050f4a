import type { StoredObject } from "../../storage/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { sortedCopy } from "../schema/mod.ts";

/**
 * Drops duplicate owner references, with a warning. Upstream: `apiserver/pkg/endpoints/handlers/rest.go`.
 *
 * @param isPatch Whether the references are the result of a patch rather than sent as they are.
 */
export function dropDuplicateOwners({ warnings }: Operation, { metadata }: StoredObject, isPatch = false): void {
  const owners = metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const equal = Map.groupBy(owners, (owner) => JSON.stringify(sortedCopy(owner)));
  if (equal.size === owners.length) return;
  const duplicates = [...equal.values()].flatMap(([, ...others]) => others);
  metadata.ownerReferences = [...equal.values()].map(([owner]) => owner);
  const when = isPatch ? " after mutating admission happens" : "";
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may ` +
      "reject such requests as early as 1.24; please fix your requests; " +
      `duplicate UID(s) observed: ${duplicates.map(({ uid }) => uid).join(", ")}`,
  );
}

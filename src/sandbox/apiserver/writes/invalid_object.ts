import type { StatusCause } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { type ApiError, invalid } from "../base/mod.ts";
import type { ServedResource } from "../resources/mod.ts";

/** Validation failed with `causes`. The error names the group that stores the kind, as upstream's does. */
export function invalidObject(
  { kind, plural, collection }: ServedResource,
  { metadata }: StoredObject,
  causes: readonly StatusCause[],
): ApiError {
  return invalid({ kind, plural, group: collection.slice(plural.length + 1) }, metadata.name ?? "", causes);
}

import type { StatusCause } from "../../../api/mod.ts";
import { ApiError } from "../base/mod.ts";
import { type FieldSet, intersect, pathTexts } from "./field_set.ts";
import type { Owner } from "./owners.ts";

export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export function conflictsOf(owners: readonly Owner[], changed: FieldSet | undefined): Conflict[] {
  return owners.flatMap((owner) => {
    const fields = intersect(owner.fields, changed);
    return fields ? [{ owner, fields }] : [];
  });
}

/** The refusal of an apply. Upstream: `managedfields/internal/conflict.go`. */
export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const sortedConflicts = conflicts.map(({ owner, fields }) => ({ who: whoIs(owner), paths: pathTexts(fields) }))
    .sort((a, b) => a.who < b.who ? -1 : a.who > b.who ? 1 : 0);
  const causes = sortedConflicts.flatMap(({ who, paths }) =>
    paths.map((field): StatusCause => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field }))
  );
  const [only] = causes;
  const lines = sortedConflicts.map(({ who, paths }) => [`conflicts with ${who}:`, ...paths].join("\n- "));
  const text = causes.length === 1
    ? `1 conflict: ${only.message}: ${only.field}`
    : `${causes.length} conflicts: ${lines.join("\n")}`;
  return new ApiError(409, "Conflict", `Apply failed with ${text}`, { causes });
}

function whoIs({ manager, operation, subresource, apiVersion }: Owner): string {
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  return `${JSON.stringify(manager)}${where}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

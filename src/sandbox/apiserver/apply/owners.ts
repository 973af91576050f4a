import type { ManagedFieldsEntry } from "../../../api/mod.ts";
import { compareUtf8 } from "../../../base/mod.ts";
import { isObject } from "../base/mod.ts";
import { type FieldSet, isSameSet, LEAF, union } from "./field_set.ts";

/** Who owns which fields: one entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  /** Empty if unknown. */
  readonly time: string;
  readonly fields: FieldSet;
}

/** Update managers beyond this number are merged into one. */
const MOST_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** The owners in managedFields; `undefined` if an entry is malformed. Upstream: DecodeManagedFields. */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owner[] | undefined {
  const owners: Owner[] = [];
  for (const entry of entries ?? []) {
    const { manager = "", operation, apiVersion = "", fieldsType, subresource = "", time = "" } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
    const fields = entry.fieldsV1 ?? LEAF;
    if (!isFieldSet(fields)) return undefined;
    owners.push({ manager, operation, apiVersion, subresource, time, fields });
  }
  return owners;
}

function isFieldSet(value: unknown): value is FieldSet {
  if (!isObject(value)) return false;
  for (const step in value) {
    if (step !== "." && !/^[fkvi]:/.test(step)) return false;
    if (!isFieldSet(value[step])) return false;
  }
  return true;
}

/** The managedFields for these owners in upstream's order: appliers first, then by time and name. */
export function entriesOf(owners: readonly Owner[]): ManagedFieldsEntry[] | undefined {
  if (owners.length === 0) return undefined;
  const ordered = owners.length > 1 ? [...owners].sort(compareOwners) : owners;
  return ordered.map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
    ...manager ? { manager } : {},
    operation,
    apiVersion,
    ...time ? { time } : {},
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...subresource ? { subresource } : {},
  }));
}

function compareOwners(a: Owner, b: Owner): number {
  return compareUtf8(a.operation, b.operation) || compareUtf8(a.time, b.time) || compareUtf8(a.manager, b.manager) ||
    compareUtf8(a.apiVersion, b.apiVersion) || compareUtf8(a.subresource, b.subresource);
}

/** Whether two entries belong to the same owner; an applier is the same in all versions. */
export function isSameOwner(a: Omit<Owner, "time" | "fields">, b: Omit<Owner, "time" | "fields">): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource &&
    (a.operation === "Apply" || a.apiVersion === b.apiVersion);
}

/** Merges the oldest updaters until there are few enough. Upstream: `managedfields/internal/capmanagers.go`. */
export function mergeOldest(owners: readonly Owner[]): readonly Owner[] {
  const updaters = owners.filter(({ operation }) => operation === "Update");
  if (updaters.length <= MOST_UPDATERS) return owners;
  updaters.sort((a, b) => compareUtf8(a.time, b.time) || compareUtf8(idOf(a), idOf(b)));
  const left = new Set(owners);
  const firstOfVersion = new Map<string, Owner>();
  let count = updaters.length;
  for (const updater of updaters) {
    if (count <= MOST_UPDATERS) break;
    const bucket = firstOfVersion.get(updater.apiVersion);
    if (!bucket) {
      firstOfVersion.set(updater.apiVersion, updater);
      continue;
    }
    const merged: Owner = {
      ...bucket,
      manager: ANCIENT,
      subresource: "",
      time: updater.time,
      fields: union(bucket.fields, updater.fields)!,
    };
    left.delete(bucket);
    left.delete(updater);
    left.add(merged);
    firstOfVersion.set(updater.apiVersion, merged);
    count--;
  }
  return [...left];
}

/** Upstream's identifier of an owner, which orders owners with equal times. */
function idOf({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify({ manager, operation, apiVersion, ...subresource ? { subresource } : {} });
}

/** Whether two lists of entries differ in nothing but their times. */
export function differInTimesOnly(
  a: readonly ManagedFieldsEntry[] | undefined,
  b: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  const [left, right] = [readOwners(a), readOwners(b)];
  if (!left || !right || left.length !== right.length) return false;
  return left.every((owner) => {
    const other = right.find((each) => isSameOwner(each, owner) && each.apiVersion === owner.apiVersion);
    return other !== undefined && isSameSet(owner.fields, other.fields);
  });
}

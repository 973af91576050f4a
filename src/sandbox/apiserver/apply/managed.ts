import { apiVersionOf, type ManagedFieldsEntry, parseApiVersion } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { JsonObject } from "../base/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { normalise, type Shape, shapeOf, type StructType, UNTYPED } from "../schema/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { compare, type Difference } from "./compare.ts";
import { type FieldSet, isMember, partOf, subtract, union } from "./field_set.ts";
import { entriesOf, isSameOwner, mergeOldest, type Owner, readOwners } from "./owners.ts";
import { writableFields } from "./reset_fields.ts";

/** The shape of a kind's objects in the served version. */
export function shapeOfServed({ struct, custom }: ServedResource): Shape {
  if (struct) return shapeOf(struct);
  return custom?.version.shape ?? UNTYPED;
}

const empties = new WeakMap<StructType, JsonObject>();

/** An object of the type with only the fields that every object has. */
export function emptyObject({ struct }: ServedResource): JsonObject {
  if (!struct) return {};
  let empty = empties.get(struct);
  if (!empty) empties.set(struct, empty = normalise({}, struct));
  return empty;
}

/** Records the creator as the owner of everything in a new object, before the server adds anything. */
export function recordCreate(operation: Operation, object: StoredObject): void {
  const { metadata } = object;
  const sent = isReset(metadata.managedFields) ? [] : readOwners(metadata.managedFields) ?? [];
  delete metadata.managedFields;
  if (!operation.state.options.managedFields) {
    setEntries(object, sent.some(({ operation }) => operation === "Apply") ? sent : []);
    return;
  }
  const { served } = operation;
  const value = asServed(served, object);
  const difference = compare(emptyObject(served), value, shapeOfServed(served));
  setEntries(object, updatedOwners(operation, sent, { differenceIn: () => difference, subresource: "" }));
}

/**
 * Records the writer as the owner of the fields it changes and removes all other owners of them.
 *
 * @param object As it was sent, including managedFields, which are replaced.
 */
export function recordUpdate(operation: Operation, object: StoredObject, old: StoredObject, subresource = ""): void {
  const owners = ownersFor(object, old, subresource);
  delete object.metadata.managedFields;
  // An object without owners gets none until somebody applies.
  if (owners.length === 0) return;
  const differenceIn = differenceBy(operation, old, object);
  setEntries(object, updatedOwners(operation, owners, { differenceIn, subresource }));
}

/** The owners that a write starts from: those it sends, if allowed and readable, or else the present ones. */
function ownersFor(object: StoredObject, old: StoredObject, subresource: string): readonly Owner[] {
  const sent = object.metadata.managedFields;
  if (subresource === "") {
    if (isReset(sent)) return [];
    const owners = readOwners(sent);
    if (owners && owners.length > 0) return owners;
  }
  return readOwners(old.metadata.managedFields) ?? [];
}

/** A single empty entry asks the server to forget all owners. */
function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  return entries?.length === 1 && Object.keys(entries[0]).length === 0;
}

export function setEntries({ metadata }: StoredObject, owners: readonly Owner[]): void {
  const entries = entriesOf(owners);
  if (entries) metadata.managedFields = entries;
  else delete metadata.managedFields;
}

/** The difference between two objects in a version; `undefined` if the version is no longer served. */
export type DifferenceIn = (apiVersion: string) => Difference | undefined;

/**
 * The difference between two stored objects in each version in which somebody owns fields. Versions of another group
 * are ignored, as upstream's converter only knows the types of the group that is written to.
 */
function differenceBy({ state, served }: Operation, old: StoredObject, object: StoredObject): DifferenceIn {
  const known = new Map<string, Difference | undefined>();
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const { group, version } = parseApiVersion(apiVersion);
    const isOwn = apiVersion === apiVersionOf(served);
    const seen = isOwn
      ? served
      : group === served.group
      ? state.resources.find(group, version, served.plural)
      : undefined;
    const difference = seen && compare(asServed(seen, old), asServed(seen, object), shapeOfServed(seen));
    known.set(apiVersion, difference);
    return difference;
  };
}

/** A stored object in a version, without the fields that record ownership. */
function asServed({ conversion, struct }: ServedResource, object: StoredObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  const stored = { ...object, metadata };
  return conversion && struct ? normalise(conversion.fromStorage(stored), struct) : stored;
}

/** The owners after an update. Upstream: `managedfields/internal` and `structured-merge-diff/merge` (Update). */
export function updatedOwners(
  operation: Operation,
  owners: readonly Owner[],
  { differenceIn, subresource }: { readonly differenceIn: DifferenceIn; readonly subresource: string },
): readonly Owner[] {
  const { served, fieldManager, state } = operation;
  const apiVersion = apiVersionOf(served);
  const left = ownersAfter(served, owners, { differenceIn, subresource });
  const changed = withoutIdentity(writableFields(differenceIn(apiVersion)?.changed, served, subresource));
  if (!changed) return mergeOldest(left);
  const identity = { manager: fieldManager || "unknown", operation: "Update", apiVersion, subresource } as const;
  const mine = left.find((owner) => isSameOwner(owner, identity));
  const fields = union(mine?.fields, changed)!;
  return mergeOldest([...left.filter((owner) => owner !== mine), { ...identity, time: nowText(state), fields }]);
}

/** What other owners keep after a change. */
export function ownersAfter(
  served: ServedResource,
  owners: readonly Owner[],
  { differenceIn, subresource }: { readonly differenceIn: DifferenceIn; readonly subresource: string },
): Owner[] {
  return owners.flatMap((owner) => {
    const difference = differenceIn(owner.apiVersion);
    if (!difference) return [];
    const changed = writableFields(difference.changed, served, subresource);
    const removed = writableFields(difference.removed, served, subresource);
    const fields = subtract(subtract(owner.fields, changed), removed);
    return fields ? [fields === owner.fields ? owner : { ...owner, fields }] : [];
  });
}

/** Metadata that nobody owns, because it identifies the object or belongs to the server. */
const IDENTITY = new Set([
  "f:name",
  "f:namespace",
  "f:creationTimestamp",
  "f:selfLink",
  "f:uid",
  "f:clusterName",
  "f:generation",
  "f:managedFields",
  "f:resourceVersion",
]);

/** The fields that a writer can own. Upstream: `managedfields/internal/stripmeta.go`. */
export function withoutIdentity(fields: FieldSet | undefined): FieldSet | undefined {
  return fields && partOf(fields, false, (step) => {
    if (step === "f:apiVersion" || step === "f:kind") return undefined;
    return step === "f:metadata" ? ownedMetadata(fields[step]) : fields[step];
  });
}

function ownedMetadata(node: FieldSet): FieldSet | undefined {
  return partOf(node, false, (step) => IDENTITY.has(step) && isMember(node[step]) ? undefined : node[step]);
}

import { apiVersionOf, type ManagedFieldsEntry, parseApiVersion } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { nowText } from "../traits/mod.ts";
import type { JsonObject } from "../base/mod.ts";
import type { Operation } from "../operations/mod.ts";
import { normalise, type Shape, shapeOf, type StructType, UNTYPED } from "../schema/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { compare, type Difference } from "./compare.ts";
import { type FieldSet, type FieldSetDraft, isMember, subtract, union } from "./field_set.ts";
import { entriesOf, isSameOwner, mergeOldest, type Owner, readOwners } from "./owners.ts";
import { writableFields } from "./reset_fields.ts";

/** The shape of a kind's objects in the version that is served. */
export function shapeOfServed({ struct, custom }: ServedResource): Shape {
  if (struct) return shapeOf(struct);
  return custom?.version.shape ?? UNTYPED;
}

const empties = new WeakMap<StructType, JsonObject>();

/** An object of the type with nothing set, with what it always has. */
export function emptyObject({ struct }: ServedResource): JsonObject {
  if (!struct) return {};
  let empty = empties.get(struct);
  if (!empty) empties.set(struct, empty = normalise({}, struct));
  return empty;
}

/** Records the creator as the owner of what is in a new object, before anything is added to it. */
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
 * Records the writer as the owner of what it changes, and takes that from everybody else.
 *
 * @param object As it was sent, with the managedFields that it came with; gets the new ones.
 */
export function recordUpdate(operation: Operation, object: StoredObject, old: StoredObject, subresource = ""): void {
  const owners = ownersFor(object, old, subresource);
  delete object.metadata.managedFields;
  // An object that nobody is known to own stays so, until somebody applies.
  if (owners.length === 0) return;
  setEntries(
    object,
    updatedOwners(operation, owners, { differenceIn: differenceBy(operation, old, object), subresource }),
  );
}

/** The owners that a write starts with: those that it sends, if it may and they can be read, or the present ones. */
function ownersFor(object: StoredObject, old: StoredObject, subresource: string): readonly Owner[] {
  const sent = object.metadata.managedFields;
  if (subresource === "") {
    if (isReset(sent)) return [];
    const owners = readOwners(sent);
    if (owners && owners.length > 0) return owners;
  }
  return readOwners(old.metadata.managedFields) ?? [];
}

/** One entry without anything asks that the owners be forgotten. */
function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  return entries?.length === 1 && Object.keys(entries[0]).length === 0;
}

export function setEntries({ metadata }: StoredObject, owners: readonly Owner[]): void {
  const entries = entriesOf(owners);
  if (entries) metadata.managedFields = entries;
  else delete metadata.managedFields;
}

/** How two objects differ, seen in a version. `undefined` if that is served no more. */
export type DifferenceIn = (apiVersion: string) => Difference | undefined;

/**
 * How two stored objects differ in each version in which somebody owns fields. What another group says of owners counts for
 * nothing: upstream's types for them are those of the group that is written to.
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

/** A stored object as a version has it, without what would own itself. */
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

/** What is left to owners after somebody else's change. */
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

/** Fields of metadata that nobody owns: they identify the object, or are the server's. */
const IDENTITY = new Set([
  ".",
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
  if (!fields) return undefined;
  const out: FieldSetDraft = {};
  let isEmpty = true;
  for (const step in fields) {
    if (step === "f:apiVersion" || step === "f:kind") continue;
    const node = step === "f:metadata" ? ownedMetadata(fields[step]) : fields[step];
    if (!node) continue;
    out[step] = node;
    isEmpty = false;
  }
  return isEmpty ? undefined : out;
}

function ownedMetadata(node: FieldSet): FieldSet | undefined {
  const out: FieldSetDraft = {};
  let isEmpty = true;
  for (const step in node) {
    if (IDENTITY.has(step) && isMember(node[step])) continue;
    out[step] = node[step];
    isEmpty = false;
  }
  return isEmpty ? undefined : out;
}

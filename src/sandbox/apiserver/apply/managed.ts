import { apiVersionOf, type ManagedFieldsEntry } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { nowText } from "../environment.ts";
import type { Operation } from "../operation.ts";
import type { ServedResource } from "../served.ts";
import { changedFields, fieldsOf, type Shape, shapeOf, tracked, withoutStatus } from "./fields.ts";
import {
  type FieldSet,
  fromFieldsV1,
  intersect,
  isEmptySet,
  NO_FIELDS,
  subtract,
  toFieldsV1,
  union,
} from "./field_set.ts";

/** Update managers beyond this number are merged into one. */
const MOST_UPDATERS = 10;
const ANCIENT = "ancient-changes";

/** Who owns which fields: one entry of `metadata.managedFields`. */
export interface Ownership {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export function readOwnerships(entries: readonly ManagedFieldsEntry[] | undefined): Ownership[] {
  return (entries ?? []).filter(({ manager, fieldsV1 }) => manager || fieldsV1).map((entry) => ({
    manager: entry.manager ?? "",
    operation: entry.operation === "Apply" ? "Apply" : "Update",
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
    time: entry.time ?? "",
    fields: fromFieldsV1(entry.fieldsV1),
  }));
}

export function writeOwnerships(object: StoredObject, ownerships: readonly Ownership[]): void {
  const entries = ownerships.filter(({ fields }) => !isEmptySet(fields)).map((ownership): ManagedFieldsEntry => ({
    manager: ownership.manager,
    operation: ownership.operation,
    apiVersion: ownership.apiVersion,
    ...ownership.time ? { time: ownership.time } : {},
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(ownership.fields),
    ...ownership.subresource ? { subresource: ownership.subresource } : {},
  }));
  if (entries.length > 0) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}

/** The shape of stored objects of the kind. */
function storedShape(served: ServedResource): Shape {
  return shapeOf(served.storageStruct ?? served.struct);
}

/** Records the creator as the owner of everything in a new object. */
export function recordCreate(operation: Operation, object: StoredObject): void {
  if (object.metadata.managedFields?.some(({ operation }) => operation === "Apply")) return;
  delete object.metadata.managedFields;
  if (!operation.state.options.managedFields) return;
  const { served } = operation;
  const fields = tracked(fieldsOf(object, storedShape(served)));
  const ignoresStatus = served.served.has("status") && !served.traits.keepsStatusOnCreate;
  writeOwnerships(object, [newOwnership(operation, "", ignoresStatus ? withoutStatus(fields) : fields)]);
}

/** Records the writer as the owner of what it changed, and takes that from everybody else. */
export function recordUpdate(operation: Operation, object: StoredObject, old: StoredObject, subresource = ""): void {
  const { served, state } = operation;
  const base = object.metadata.managedFields ?? old.metadata.managedFields;
  if (!base && !state.options.managedFields) return;
  const shape = storedShape(served);
  const changed = tracked(changedFields(old, object, shape));
  const present = tracked(fieldsOf(object, shape));
  const apiVersion = apiVersionOf(served);
  let found = false;
  const ownerships = readOwnerships(base).map((ownership) => {
    const mine = ownership.operation === "Update" && ownership.manager === operation.fieldManager &&
      ownership.subresource === subresource && ownership.apiVersion === apiVersion;
    found ||= mine;
    if (mine && !isEmptySet(changed)) {
      return { ...ownership, time: nowText(state), fields: union(intersect(ownership.fields, present), changed) };
    }
    return { ...ownership, fields: intersect(subtract(ownership.fields, changed), present) };
  });
  if (!found && !isEmptySet(changed) && state.options.managedFields) {
    ownerships.push(newOwnership(operation, subresource, changed));
  }
  writeOwnerships(object, mergeAncient(ownerships));
}

function newOwnership(operation: Operation, subresource: string, fields: FieldSet): Ownership {
  const { fieldManager: manager, served, state } = operation;
  return { manager, operation: "Update", apiVersion: apiVersionOf(served), subresource, time: nowText(state), fields };
}

function mergeAncient(ownerships: Ownership[]): Ownership[] {
  const updaters = ownerships.filter(({ operation }) => operation === "Update");
  if (updaters.length <= MOST_UPDATERS) return ownerships;
  const oldest = updaters.sort((a, b) => a.time < b.time ? -1 : 1).slice(0, updaters.length - MOST_UPDATERS + 1);
  const fields = oldest.reduce((all, ownership) => union(all, ownership.fields), NO_FIELDS);
  const ancient: Ownership = { ...oldest.at(-1)!, manager: ANCIENT, fields };
  return [ancient, ...ownerships.filter((ownership) => !oldest.includes(ownership))];
}

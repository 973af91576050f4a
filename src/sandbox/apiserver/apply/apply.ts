import { apiVersionOf } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { nowText } from "../traits/mod.ts";
import { isObject, type JsonObject, plainError } from "../base/mod.ts";
import type { Operation } from "../operations/mod.ts";
import type { Shape } from "../schema/mod.ts";
import { appliedFields, misfits } from "./applied_fields.ts";
import { compare } from "./compare.ts";
import { applyConflict, type Conflict, conflictsOf } from "./conflicts.ts";
import { type FieldSet, subtract, union } from "./field_set.ts";
import { lastAppliedOf, ownedByClientSide, withLastApplied } from "./last_applied.ts";
import { type DifferenceIn, ownersAfter, withoutIdentity } from "./managed.ts";
import { isSameOwner, type Owner, readOwners } from "./owners.ts";
import { mergeApplied } from "./merge.ts";
import { prune } from "./prune.ts";
import { writableFields } from "./reset_fields.ts";

export interface Application {
  /** What the applier wants, as sent. */
  readonly wanted: JsonObject;
  /**
   * The present object in the applied version, without managedFields; for a new object, the fields that every one has.
   */
  readonly live: JsonObject;
  readonly empty: JsonObject;
  readonly owners: readonly Owner[];
  readonly shape: Shape;
  readonly force: boolean;
  readonly subresource: string;
}

/** The manager that owns the fields of an object without owners at its first apply. */
const BEFORE_FIRST_APPLY = "before-first-apply";

export interface Applied {
  /** The object in the applied version; `undefined` if only the owners change. */
  readonly value: JsonObject | undefined;
  readonly owners: readonly Owner[];
}

/**
 * Server-side apply. Upstream: `apimachinery/pkg/util/managedfields` and `structured-merge-diff/merge` (Apply).
 *
 * @throws {ApiError} 409 if another manager owns a field that would change, unless forced; 500, as upstream, if the
 * object does not fit its type.
 */
export function applyTo(operation: Operation, application: Application): Applied {
  checkFits(operation, application);
  const prepared = { ...application, owners: ownersBefore(operation, application) };
  const outcome = merged(operation, prepared);
  if (outcome.conflicts.length > 0 && !application.force) {
    const taken = ownedByClientSide(operation.fieldManager, application.live, application.shape);
    const left = outcome.conflicts.flatMap(({ owner, fields }) => {
      const rest = subtract(fields, taken);
      return rest ? [{ owner, fields: rest }] : [];
    });
    if (left.length > 0) throw applyConflict(left);
  }
  return settled(operation, prepared, outcome);
}

function checkFits({ served }: Operation, { wanted, shape }: Application): void {
  const problems = misfits(wanted, shape);
  if (problems.length === 0) return;
  const { name = "", namespace = "" } = isObject(wanted.metadata) ? wanted.metadata : {};
  const text = problems.length === 1 ? problems[0] : `errors:\n  ${problems.join("\n  ")}`;
  const what = `${namespace}/${name}; ${served.group}/${served.version}, Kind=${served.kind}`;
  throw plainError(`failed to create typed patch object (${what}): ${text}`);
}

/** The present owners; if there are none, one that owns everything. */
function ownersBefore(
  operation: Operation,
  { owners, live, empty, shape, subresource }: Application,
): readonly Owner[] {
  if (owners.length > 0) return owners;
  const { served, state } = operation;
  const { changed } = compare({ apiVersion: live.apiVersion, kind: live.kind, ...empty }, live, shape);
  const fields = withoutIdentity(writableFields(changed, served, subresource));
  if (!fields) return [];
  const apiVersion = apiVersionOf(served);
  const time = nowText(state);
  return [{ manager: BEFORE_FIRST_APPLY, operation: "Update", apiVersion, subresource, time, fields }];
}

interface Outcome {
  readonly value: JsonObject;
  readonly mine: Owner;
  readonly others: readonly Owner[];
  readonly differenceIn: DifferenceIn;
  readonly conflicts: readonly Conflict[];
}

function merged(operation: Operation, { wanted, live, owners, shape, subresource }: Application): Outcome {
  const { served, fieldManager } = operation;
  const apiVersion = apiVersionOf(served);
  const identity = { manager: fieldManager || "unknown", operation: "Apply", apiVersion, subresource } as const;
  const before = owners.find((owner) => isSameOwner(owner, identity));
  const others = owners.filter((owner) => owner !== before);
  const fields = writableFields(appliedFields(wanted, shape), served, subresource);
  const joined = mergeApplied(live, wanted, shape);
  const owned = others.reduce<FieldSet | undefined>((all, owner) => union(all, owner.fields), fields);
  const whole = isObject(joined) ? joined : {};
  const value = before ? prune(whole, before.fields, owned, shape) : whole;
  const difference = compare(live, value, shape);
  // Fields owned in other versions are seen in this one.
  const differenceIn: DifferenceIn = () => difference;
  const changed = writableFields(difference.changed, served, subresource);
  const mine: Owner = { ...identity, time: before?.time ?? "", fields: fields ?? {} };
  return { value, mine, others, differenceIn, conflicts: conflictsOf(others, changed) };
}

/** The result if there is no conflict. */
function settled(operation: Operation, application: Application, outcome: Outcome): Applied {
  const { served, fieldManager, state } = operation;
  const { value, mine, others, differenceIn } = outcome;
  const { live, wanted, subresource } = application;
  const isChanged = !deepEqual(live, value);
  const now = isChanged ? value : live;
  const left = ownersAfter(served, others, { differenceIn, subresource });
  const fields = withoutIdentity(mine.fields);
  const time = isChanged ? nowText(state) : mine.time;
  const owners = fields ? [...left, { ...mine, time, fields }] : left;
  const isFollowed = fieldManager === "kubectl" && lastAppliedOf(now) !== undefined;
  return { value: isFollowed ? withLastApplied(now, wanted) : isChanged ? value : undefined, owners };
}

/** The owners of a stored object. @throws {ApiError} 500, as upstream, if they cannot be read. */
export function storedOwners({ metadata }: StoredObject): readonly Owner[] {
  const owners = readOwners(metadata.managedFields);
  if (!owners) {
    throw plainError("failed to decode managed fields: an entry is malformed; send an empty list to reset them");
  }
  return owners;
}
